// Tensor maps that a kernel builds (device_maps.h). An op of threads stands for
// each instruction, which accesses the 128 bytes; that who uses a map comes
// after who has written it is seen by a read of the map before each tensor
// copy.
#include "ir/ops/memory.h"
#include "ir/ops/tile.h"
#include "ptx/machine/device_maps.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"

namespace tilesim::ptx {
namespace {

using ir::OpKind;
using StGlobal = ir::ops::StGlobal;
using StShared = ir::ops::StShared;

constexpr auto kBytes = static_cast<int64_t>(kTensorMapBytes);
constexpr int64_t kMapAlign = 64;

// Sources: where the map is, the field's value.
bool FillReplace(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t value = 0;
  return f.SharedBox(s.sources[0], kBytes, kMapAlign,
                     out.operands[StShared::kDst]) &&
         f.Number(s.sources[1], &value);
}

// [map], [ordinal,] value
bool MakeReplace(Making& m) {
  constexpr std::string_view kTile = "tensormap.replace.tile.";
  std::string_view rest = m.spelling();
  if (!rest.starts_with(kTile) || !m.Has(".shared::cta"))
    return m.Refuse("of tensormap.replace, .tile in .shared::cta is executed");
  rest.remove_prefix(kTile.size());
  const MapField* field = MapFieldNamed(rest.substr(0, rest.find('.')));
  if (field == nullptr) return m.Refuse("the field is not known");
  int64_t ordinal = 0;
  if (m.operands() == 3) {
    if (m.operand(1).kind != Operand::Kind::kNumber)
      return m.Refuse("which of several fields it is must be a number");
    ordinal = m.operand(1).number.value();
  }
  m.op = OpKind::kStShared;
  m.Tile(StShared::kDst, ir::Space::kShared);
  m.step.map = Step::MapPart::kReplace;
  m.step.numbers = {field->at + ordinal * field->bytes, field->bytes};
  m.step.fill = FillReplace;
  m.step.collective = 2;
  return (m.Add(0) && m.Add(m.operands() - 1)) ||
         m.Refuse("its address or value is not followed");
}

// Sources: to where, from where.
bool FillCopy(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.GlobalBox(s.sources[0], kBytes, kMapAlign,
                     out.operands[StGlobal::kDst]) &&
         f.SharedBox(s.sources[1], kBytes, kMapAlign,
                     out.operands[StGlobal::kSrc]);
}

bool MakeCopy(Making& m) {
  m.op = OpKind::kStGlobal;
  m.Tile(StGlobal::kDst, ir::Space::kGlobal);
  m.Tile(StGlobal::kSrc, ir::Space::kShared);
  m.step.map = Step::MapPart::kCopy;
  m.step.one_lane = true;
  m.step.fill = FillCopy;
  m.step.collective = 2;
  return (m.Add(0) && m.Add(1)) || m.Refuse("its addresses are not followed");
}

bool FillFence(Filling& f, const Step& s, ir::ConcreteOp& /*out*/) {
  int64_t address = 0;
  return s.sources.empty() || f.Number(s.sources[0], &address);
}

}  // namespace

bool MakeTensormapFence(Making& m) {
  m.op = ir::OpKind::kMov;
  m.step.fill = FillFence;
  if (!m.Has(".acquire")) return true;
  m.step.map = Step::MapPart::kAcquire;
  m.step.one_lane = true;
  m.step.collective = 1;
  return m.Add(0) || m.Refuse("its address is not followed");
}

bool FillMapRead(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t address = 0;
  if (!f.Number(s.sources[0], &address)) return false;
  ir::OperandValue& o = out.operands[ir::ops::LdGlobal::kSrc];
  o = ir::OperandValue();
  o.tile.space = ir::Space::kGlobal;
  // One of the launch nobody writes (host_maps.h).
  if (f.memory().MapAt(static_cast<uint64_t>(address)) != nullptr) return true;
  return f.GlobalBox(s.sources[0], kBytes, kMapAlign, o);
}

const std::vector<OpRow>& TensormapRows() {
  static const std::vector<OpRow> kRows = {
      {"tensormap.replace", MakeReplace},
      {"tensormap.cp_fenceproxy", MakeCopy},
  };
  return kRows;
}

}  // namespace tilesim::ptx
