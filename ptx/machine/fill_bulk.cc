// Bulk and tensor copies.
#include <algorithm>
#include <array>
#include <optional>

#include "fmt/format.h"
#include "ir/ops/bulk.h"
#include "ptx/machine/device_maps.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"
#include "ptx/machine/tensor_box.h"

namespace tilesim::ptx {
namespace {

using ir::OperandValue;
using ir::OpKind;
using Load = ir::ops::TmaLoad;
using Store = ir::ops::TmaStore;

// Of the shared side of a tensor copy (PTX 5.5.7); of both sides and the size
// of a copy by address (PTX 9.7.9.25.4.1).
constexpr int64_t kTensorAlign = 128, kBulkAlign = 16;

constexpr size_t kMostMaps = 32;  // whose boxes are kept

// Numbers of a tensor copy's step: the dimensions of its box. Its sources are
// the map, the coordinates, innermost first, and what follows.
size_t Dims(const Step& s) { return static_cast<size_t>(s.numbers[0]); }

std::string NoMapAt(const Filling& f, uint64_t at) {
  const Memory::Global* g = f.memory().GlobalAt(at);
  const std::string where =
      g == nullptr ? "" : fmt::format(" (`{}` +{})", g->name, at - g->address);
  const std::string give =
      g == nullptr ? ""
                   : fmt::format(
                         ": if the host has put one there, say so in `{}` of "
                         "the launch: \"at\": {{\"{}\": {{\"tensormap\": "
                         "INDEX}}}}",
                         g->name, at - g->address);
  return fmt::format(
      "no tensor map is known at {:#x}{}: its CTA has built none there that is "
      "whole, and none is a parameter of the launch{}",
      at, where, give);
}

// A map that the CTA has built.
bool BuiltMap(Filling& f, uint64_t at, std::optional<DeviceMap>* out) {
  if (IsIn(at, kLocalWindow))
    return f.Bad("bounds/global",
                 fmt::format("the tensor map at {:#x} lies in local memory, "
                             "where a parameter is copied that is no "
                             "__grid_constant__",
                             at),
                 "declare the parameter `const __grid_constant__ CUtensorMap`");
  const int32_t place = f.guide().PlaceOfMapAt(at);
  const auto tensor = AddressOfMapIn(f.who().cta.words, place);
  if (tensor && f.memory().GlobalAt(*tensor) == nullptr)
    return f.Open(fmt::format(
        "the tensor map that its CTA has built at {:#x} is of a tensor at "
        "{:#x}, which is no buffer of the launch: add one (address, bytes)",
        at, *tensor));
  *out = MapIn(f.who().cta.words, place, f.memory());
  if (!*out) return f.Open(NoMapAt(f, at));
  if ((*out)->acquired) return true;
  return f.Bad("proxy-fence/raw",
               fmt::format("the tensor map at {:#x} is used without a "
                           "fence.proxy.tensormap::generic.acquire after the "
                           "tensormap.cp_fenceproxy that writes it",
                           at),
               "fence.proxy.tensormap::generic.acquire.gpu [map], 128, then a "
               "barrier between that thread and who copies");
}

// Boxes that lie inside a tensor are found once for each map.
bool BoxOfMap(Filling& f, const TensorMap& map,
              const std::vector<int64_t>& start, PtxGuide::MapBox* box) {
  const std::optional<int64_t> first = FirstOfWhole(map, start);
  auto& whole = f.guide().whole_boxes();
  auto known = std::find_if(whole.begin(), whole.end(),
                            [&](const auto& w) { return w.first == map; });
  if (first && known != whole.end()) {
    *box = known->second;
    box->box.tile.start[0] += *first;
    return true;
  }
  TensorBox bytes;
  std::string why;
  if (!BoxOf(map, start, &bytes, &why)) return f.Open(std::move(why));
  machine::ByteSets::Parts parts;
  parts.push_back({0, ir::kMaxWarps, ir::kAllLanes, std::move(bytes.global)});
  f.Listed(ir::Space::kGlobal, f.memory().globals()[map.buffer].decl,
           std::move(parts), box->box);
  box->bytes = bytes.bytes;
  if (!first || whole.size() >= kMostMaps) return true;
  whole.emplace_back(map, *box).second.box.tile.start[0] -= *first;
  return true;
}

// Numbers of a copy of four rows, wherever they are (PTX 5.5.3.2, 5.5.3.3):
// that it is one, and whether it writes them.
enum RowsField : size_t { kIsRows = 1, kWritesRows };

// The box of a row, four times; the coordinates are the first column and the
// rows.
bool FourRows(Filling& f, const Step& s, const TensorMap& map, int64_t* bytes,
              OperandValue& out) {
  constexpr size_t kRows = 4;
  if (map.dims.size() != 2 || map.box.size() != 2 || map.box[1] != 1)
    return f.Bad("bounds/tile",
                 "gather4 and scatter4 take a tensor map of two dimensions, "
                 "whose box has one row");
  std::vector<int64_t> start(1 + kRows);
  for (size_t i = 0; i < start.size(); ++i) {
    int64_t n = 0;
    if (!f.Number(s.sources[1 + i], &n)) return false;
    start[i] = static_cast<int32_t>(n);
  }
  std::vector<machine::ByteSets::Run> runs;
  *bytes = 0;
  for (size_t i = 1; i < start.size(); ++i) {
    TensorBox row;
    std::string why;
    if (!BoxOf(map, {start[0], start[i]}, &row, &why))
      return f.Open(std::move(why));
    *bytes += row.bytes;
    const bool again = std::find(start.begin() + 1, start.begin() + i,
                                 start[i]) != start.begin() + i;
    if (again && s.numbers[kWritesRows] != 0)
      return f.Open("scatter4 writes one row twice");
    if (!again) runs.insert(runs.end(), row.global.begin(), row.global.end());
  }
  std::sort(runs.begin(), runs.end());
  machine::ByteSets::Parts parts;
  parts.push_back({0, ir::kMaxWarps, ir::kAllLanes, std::move(runs)});
  f.Listed(ir::Space::kGlobal, f.memory().globals()[map.buffer].decl,
           std::move(parts), out);
  return f.OfBuffer(map.buffer) &&
         f.Inside(out.tile.decl, out.tile.start[0], out.tile.extent[0]);
}

// `bytes`: of the whole box.
bool Tensor(Filling& f, const Step& s, int64_t* bytes, OperandValue& out) {
  int64_t at = 0;
  if (!f.Number(s.sources[0], &at)) return false;
  const TensorMap* map = f.memory().MapAt(static_cast<uint64_t>(at));
  std::optional<DeviceMap> built;
  if (map == nullptr) {
    if (!BuiltMap(f, static_cast<uint64_t>(at), &built)) return false;
    map = &built->map;
  } else if (f.memory().GlobalAt(static_cast<uint64_t>(at)) != nullptr) {
    const Node& node = f.guide().program().graph.nodes[s.node];
    f.guide().Note(NotJudged::kMapOfHost, node.statement->span.line);
  }
  if (s.numbers.size() > kIsRows) return FourRows(f, s, *map, bytes, out);
  if (map->dims.size() != Dims(s))
    return f.Bad("bounds/tile",
                 fmt::format("a box of {} dimensions in a tensor map of {}",
                             Dims(s), map->dims.size()));
  std::vector<int64_t> start(Dims(s));
  for (size_t i = 0; i < Dims(s); ++i) {
    int64_t n = 0;
    if (!f.Number(s.sources[1 + i], &n)) return false;
    start[i] = static_cast<int32_t>(n);
  }
  PtxGuide::MapBox box;
  if (!BoxOfMap(f, *map, start, &box)) return false;
  if (!f.OfBuffer(map->buffer)) return false;
  out = box.box;
  *bytes = box.bytes;
  return f.Inside(out.tile.decl, out.tile.start[0], out.tile.extent[0]);
}

// Where a multicast goes; no such operand, its own CTA.
bool Multicast(Filling& f, const Source& source, OperandValue& out) {
  int64_t mask = 0;
  if (!f.Number(source, &mask)) return false;
  f.SetInt(mask & 0xffff, out);
  return true;
}

bool FillLoad(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bytes = 0;
  if (!Tensor(f, s, &bytes, out.operands[Load::kSrc])) return false;
  size_t next = 1 + Dims(s);
  if (!f.SharedBox(s.sources[next], bytes, kTensorAlign,
                   out.operands[Load::kDst]) ||
      !f.Barrier(s, s.sources[next + 1], out.operands[Load::kBar]) ||
      !f.AreOfOneCta(out.operands[Load::kDst], out.operands[Load::kBar]))
    return false;
  return s.sources.size() < next + 3 ||
         Multicast(f, s.sources[next + 2], out.operands[Load::kMulticast]);
}

// What is stored may run past the end of its tensor, but does not begin before
// it (hardware.md A.5). Rows of scatter4 have no corner of their own: what lies
// outside is left out.
bool BeginsInside(Filling& f, const Step& s) {
  if (s.numbers.size() > kIsRows) return true;
  for (size_t i = 0; i < Dims(s); ++i) {
    int64_t n = 0;
    if (!f.Number(s.sources[1 + i], &n)) return false;
    const auto at = static_cast<int32_t>(n);
    if (at < 0)
      return f.Bad("bounds/global",
                   fmt::format("the box begins at {} in dimension {} of its "
                               "tensor",
                               at, i),
                   "what a tensor copy stores may run past the end of the "
                   "tensor, but does not begin before it");
  }
  return true;
}

bool FillStore(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bytes = 0;
  return BeginsInside(f, s) &&
         Tensor(f, s, &bytes, out.operands[Store::kDst]) &&
         f.SharedBox(s.sources[1 + Dims(s)], bytes, kTensorAlign,
                     out.operands[Store::kSrc]);
}

// The map and the coordinates of an operand [map, {x, y}].
bool AddBox(Making& m, size_t operand) {
  const Operand& o = m.operand(operand);
  if (o.parts.size() != 2 || o.parts[1].kind != Operand::Kind::kVector)
    return m.Refuse("a tensor copy names a map and coordinates");
  m.step.numbers = {static_cast<int64_t>(o.parts[1].parts.size())};
  m.step.map_operand = true;
  for (size_t i = 0; i <= o.parts[1].parts.size(); ++i) {
    if (!m.Add(operand, i)) return m.Refuse("a coordinate is no number");
  }
  return true;
}

bool OnlyTiles(Making& m) {
  for (std::string_view mode : {".im2col", ".im2col_no_offs"}) {
    if (m.Has(mode)) return m.Refuse("of tensor copies, .tile is executed");
  }
  return true;
}

bool Rows(Making& m) {
  const bool writes = m.Has(".tile::scatter4");
  if (!writes && !m.Has(".tile::gather4")) return true;
  m.step.numbers.insert(m.step.numbers.end(), {1, writes});
  constexpr int64_t kCoordinates = 5;
  return m.step.numbers[0] == kCoordinates ||
         m.Refuse("it names a column and four rows");
}

bool MakeTensor(Making& m) {
  if (!OnlyTiles(m)) return false;
  if (m.Has(".bulk_group")) {  // to global memory
    m.op = OpKind::kTmaStore;
    m.Tile(Store::kDst, ir::Space::kGlobal);
    m.Tile(Store::kSrc, ir::Space::kShared);
    m.step.fill = FillStore;
    if (!AddBox(m, 0) || !Rows(m) || !m.Add(1)) return false;
    m.step.collective = m.step.sources.size();
    return true;
  }
  m.op = OpKind::kTmaLoad;
  m.mods = {m.Written<ir::ops::CtaGroup>()};
  m.Tile(Load::kDst, ir::Space::kShared);
  m.Tile(Load::kSrc, ir::Space::kGlobal);
  m.BarrierAt(Load::kBar);
  m.step.fill = FillLoad;
  if (!AddBox(m, 1) || !Rows(m) || !m.Add(0) || !m.Add(2)) return false;
  if (m.Has(".multicast::cluster")) {
    m.Int(Load::kMulticast);
    if (!m.Add(3)) return false;
  }
  m.step.collective = m.step.sources.size();
  return true;
}

bool MakeTensorReduce(Making& m) {
  if (!OnlyTiles(m)) return false;
  if (!m.Has(".add") && !m.Has(".min") && !m.Has(".max"))
    return m.Refuse("of reductions, add, min and max are executed");
  m.op = OpKind::kTmaReduce;
  m.mods = {m.Written<ir::ops::ReduceOp>()};
  m.Tile(Store::kDst, ir::Space::kGlobal);
  m.Tile(Store::kSrc, ir::Space::kShared);
  m.step.fill = FillStore;
  if (!AddBox(m, 0) || !m.Add(1)) return false;
  m.step.collective = m.step.sources.size();
  return true;
}

// --- by address -------------------------------------------------------------

// A size in bytes.
bool Size(Filling& f, const Source& source, int64_t* bytes) {
  if (!f.Number(source, bytes)) return false;
  return *bytes % kBulkAlign == 0 ||
         f.Bad("layout/alignment", fmt::format("{} bytes are no multiple of {}",
                                               *bytes, kBulkAlign));
}

// Sources: where to, where from, how many bytes, and what follows.
bool FillRawLoad(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bytes = 0;
  if (!Size(f, s.sources[2], &bytes) ||
      !f.SharedBox(s.sources[0], bytes, kBulkAlign, out.operands[Load::kDst]) ||
      !f.GlobalBox(s.sources[1], bytes, kBulkAlign, out.operands[Load::kSrc]) ||
      !f.Barrier(s, s.sources[3], out.operands[Load::kBar]) ||
      !f.AreOfOneCta(out.operands[Load::kDst], out.operands[Load::kBar]))
    return false;
  return s.sources.size() < 5 ||
         Multicast(f, s.sources[4], out.operands[Load::kMulticast]);
}

bool FillPush(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bytes = 0;
  return Size(f, s.sources[2], &bytes) &&
         f.SharedBox(s.sources[0], bytes, kBulkAlign, out.operands[0]) &&
         f.OwnSharedBox(s.sources[1], bytes, kBulkAlign, out.operands[1]) &&
         f.Barrier(s, s.sources[3], out.operands[2]) &&
         f.AreOfOneCta(out.operands[0], out.operands[2]);
}

bool FillRawStore(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bytes = 0;
  return Size(f, s.sources[2], &bytes) &&
         f.GlobalBox(s.sources[0], bytes, kBulkAlign,
                     out.operands[Store::kDst]) &&
         f.SharedBox(s.sources[1], bytes, kBulkAlign,
                     out.operands[Store::kSrc]);
}

bool AddThree(Making& m) {
  return (m.Add(0) && m.Add(1) && m.Add(2)) ||
         m.Refuse("it names no two addresses and a size");
}

bool MakeBulk(Making& m) {
  if (m.Has(".bulk_group")) {
    m.op = OpKind::kBulkStore;
    m.Tile(Store::kDst, ir::Space::kGlobal);
    m.Tile(Store::kSrc, ir::Space::kShared);
    m.step.fill = FillRawStore;
    if (!AddThree(m)) return false;
    m.step.collective = 3;
    return !m.Has(".cp_mask") || m.Refuse("a mask of bytes is not followed");
  }
  bool push = m.Has(".shared::cta") && m.Has(".shared::cluster");
  m.op = push ? OpKind::kBulkPush : OpKind::kBulkLoad;
  m.Tile(Load::kDst, ir::Space::kShared);
  m.Tile(Load::kSrc, push ? ir::Space::kShared : ir::Space::kGlobal);
  m.BarrierAt(Load::kBar);
  m.step.fill = push ? FillPush : FillRawLoad;
  if (!AddThree(m) || !m.Add(3)) return false;
  if (m.Has(".multicast::cluster")) {
    m.Int(Load::kMulticast);
    if (!m.Add(4)) return false;
  }
  m.step.collective = m.step.sources.size();
  return true;
}

bool MakeBulkReduce(Making& m) {
  return m.Refuse("reductions of boxes, cp.reduce.async.bulk.tensor, are");
}

// --- groups -----------------------------------------------------------------

bool MakeCommit(Making& m) {
  m.op = OpKind::kBulkCommitGroup;
  return true;
}

bool FillPending(Filling& f, const Step& s, ir::ConcreteOp& out) {
  return f.Int(s.sources[0], out.operands[0]);
}

bool MakeWait(Making& m) {
  m.op = OpKind::kBulkWaitGroup;
  m.mods = {m.Written<ir::ops::ReadOnly>()};
  m.Int(0);
  m.step.fill = FillPending;
  m.step.collective = 1;
  return m.Add(0);
}

}  // namespace

const std::vector<OpRow>& BulkRows() {
  static const std::vector<OpRow> kRows = {
      {"cp.async.bulk", MakeBulk},
      {"cp.async.bulk.tensor", MakeTensor},
      {"cp.reduce.async.bulk", MakeBulkReduce},
      {"cp.reduce.async.bulk.tensor", MakeTensorReduce},
      {"cp.async.bulk.commit_group", MakeCommit},
      {"cp.async.bulk.wait_group", MakeWait},
  };
  return kRows;
}

}  // namespace tilesim::ptx
