// tcgen05: tensor memory and what works on it.
#include <algorithm>
#include <array>

#include "fmt/format.h"
#include "ir/ops/tcgen05.h"
#include "ptx/machine/filling.h"
#include "ptx/machine/lower_ops.h"
#include "ptx/machine/tensor_tiles.h"

namespace tilesim::ptx {
namespace {

using ir::OperandValue;
using ir::OpKind;
using ir::ops::CtaGroup;

void Group(Making& m) {
  m.mods = {ChoiceOf<CtaGroup>(m.Has(".cta_group::2") ? CtaGroup::kTwo
                                                      : CtaGroup::kOne)};
}

bool IsPair(const Making& m) { return m.Has(".cta_group::2"); }

// --- pools ------------------------------------------------------------------

// PTX 9.7.16.7: a power of two from 32 to 512.
bool Columns(Filling& f, const Source& source, int64_t* out) {
  if (!f.Number(source, out)) return false;
  const int64_t n = *out;
  return (n >= 32 && n <= ir::kTmemColumns && (n & (n - 1)) == 0) ||
         f.Bad(
             "tmem/capacity",
             fmt::format("{} columns: it is a power of two from 32 to 512", n));
}

bool FillAlloc(Filling& f, const Step& s, ir::ConcreteOp& out) {
  OperandValue slot;
  int64_t columns = 0;
  return f.SharedBox(s.sources[0], 4, 4, slot) &&
         Columns(f, s.sources[1], &columns) &&
         f.NewPool({s.op, slot.tile.start[0], columns}, ir::ops::IsPair(out),
                   out.operands[0]);
}

bool FillDealloc(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t columns = 0;
  return Columns(f, s.sources[1], &columns) &&
         f.WholePool(s.sources[0], columns, out.operands[0]);
}

bool MakeAlloc(Making& m) {
  Group(m);
  bool frees = m.spelling().starts_with("tcgen05.dealloc");
  m.op = frees ? OpKind::kTcgen05Dealloc : OpKind::kTcgen05Alloc;
  m.Tile(0, ir::Space::kTmem);
  m.step.fill = frees ? FillDealloc : FillAlloc;
  m.step.collective = 2;
  m.step.each_warp = true;
  return (m.Add(0) && m.Add(1)) ||
         m.Refuse("its address or its columns are no number");
}

bool MakeRelinquish(Making& m) {
  m.op = OpKind::kTcgen05RelinquishAllocPermit;
  Group(m);
  return true;
}

// --- products ---------------------------------------------------------------

using Mma = ir::ops::Tcgen05Mma;
using Scaled = ir::ops::Tcgen05MmaBlockScale;

// Numbers of the step.
enum Field : size_t { kKind, kPair, kATensor, kFields };

bool Matrix(Filling& f, int64_t descriptor, const MatrixShape& shape,
            OperandValue& out) {
  return f.SharedMatrix(static_cast<uint64_t>(descriptor), shape,
                        &Tcgen05Matrix, out);
}

// Sources: d, a, b, idesc, accumulate, and the factors of a and of b.
bool FillMma(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bits = 0, a = 0, b = 0;
  if (!f.Number(s.sources[3], &bits)) return false;
  Product p(static_cast<Product::Kind>(s.numbers[kKind]),
            static_cast<uint32_t>(bits), s.numbers[kPair] != 0);
  std::optional<ir::DataPath> path = ir::DataPathOf(p.m, s.numbers[kPair] != 0);
  if (!path || p.n == 0)
    return f.Bad("shape/tcgen05",
                 fmt::format("the instruction descriptor {:#x} says M = {}, "
                             "N = {}: there is no such product",
                             bits, p.m, p.n));
  if (!f.Tensor(s.sources[0], TensorTile::OfD(p, *path),
                out.operands[Mma::kD]) ||
      !f.Number(s.sources[2], &b) ||
      !Matrix(f, b, p.B(), out.operands[Mma::kB]))
    return false;
  if (s.numbers[kATensor] != 0) {
    if (!f.Tensor(s.sources[1], TensorTile::OfA(p, *path),
                  out.operands[Mma::kA]))
      return false;
  } else if (!f.Number(s.sources[1], &a) ||
             !Matrix(f, a, p.A(), out.operands[Mma::kA])) {
    return false;
  }
  out.operands[Mma::kD].tile.dtype = p.d_type;
  out.operands[Mma::kA].tile.dtype = p.a_type;
  if (s.sources.size() < 7)
    return f.Int(s.sources[4], out.operands[Mma::kAccumulate]);
  return f.Int(s.sources[4], out.operands[Scaled::kAccumulate]) &&
         f.Tensor(s.sources[5], TensorTile::OfFactors(p, true),
                  out.operands[Scaled::kSfa]) &&
         f.Tensor(s.sources[6], TensorTile::OfFactors(p, false),
                  out.operands[Scaled::kSfb]);
}

bool MakeMma(Making& m) {
  if (m.Has(".sp") || m.Has(".ws"))
    return m.Refuse("of products, .sp and .ws are not executed");
  std::optional<Product::Kind> kind = Product::KindOf(m.node.instruction());
  if (!kind) return m.Refuse("its kind is not known");
  bool scaled = m.Has(".block_scale");
  bool a_tensor = m.operand(1).kind == Operand::Kind::kAddress;
  Group(m);
  m.op = scaled ? OpKind::kTcgen05MmaBlockScale : OpKind::kTcgen05Mma;
  m.Tile(Mma::kD, ir::Space::kTmem);
  m.Tile(Mma::kA, a_tensor ? ir::Space::kTmem : ir::Space::kShared);
  m.Tile(Mma::kB, ir::Space::kShared);
  m.Int(scaled ? int{Scaled::kAccumulate} : int{Mma::kAccumulate});
  m.step.numbers = {static_cast<int64_t>(*kind), IsPair(m), a_tensor};
  m.step.fill = FillMma;
  // Which lanes of d are left as they are, if it says so.
  size_t next = 4;
  if (!scaled && next < m.operands() &&
      m.operand(next).kind == Operand::Kind::kVector)
    ++next;
  bool added =
      m.Add(0) && m.Add(1) && m.Add(2) && m.Add(3) && m.Add(scaled ? 6 : next);
  if (scaled) {
    m.Tile(Scaled::kSfa, ir::Space::kTmem);
    m.Tile(Scaled::kSfb, ir::Space::kTmem);
    added = added && m.Add(4) && m.Add(5);
  }
  m.step.collective = m.step.sources.size();
  return added || m.Refuse("an operand is no number");
}

// --- commit -----------------------------------------------------------------

using Commit = ir::ops::Tcgen05Commit;

bool FillCommit(Filling& f, const Step& s, ir::ConcreteOp& out) {
  if (!f.Barrier(s, s.sources[0], out.operands[Commit::kBar])) return false;
  if (s.sources.size() < 2) return true;
  int64_t mask = 0;
  if (!f.Number(s.sources[1], &mask)) return false;
  f.SetInt(mask & 0xffff, out.operands[Commit::kMulticast]);
  return true;
}

bool MakeCommit(Making& m) {
  m.op = OpKind::kTcgen05Commit;
  Group(m);
  m.BarrierAt(Commit::kBar);
  m.step.fill = FillCommit;
  if (!m.Add(0)) return m.Refuse("its barrier is not named by an address");
  if (m.Has(".multicast::cluster")) {
    m.Int(Commit::kMulticast);
    if (!m.Add(1)) return m.Refuse("its mask is no number");
  }
  m.step.collective = m.step.sources.size();
  return true;
}

// --- loads and stores -------------------------------------------------------

using Ld = ir::ops::Tcgen05Ld;
using St = ir::ops::Tcgen05St;

// Numbers of the step: lanes of a half, columns of it, where the second half
// begins, whether it stores, then registers.
enum Move : size_t { kLanes, kColumns, kSecond, kStores, kMoveFields };

bool FillMove(Filling& f, const Step& s, ir::ConcreteOp& out) {
  const bool stores = s.numbers[kStores] != 0;
  const int tensor = stores ? int{St::kDst} : int{Ld::kSrc};
  const int regs = stores ? int{St::kSrc} : int{Ld::kDst};
  f.Registers(s.numbers, kMoveFields, s.numbers.size() - kMoveFields,
              out.operands[static_cast<size_t>(regs)]);
  return f.TensorByWarps(s.sources[0], s.numbers[kLanes], s.numbers[kColumns],
                         s.numbers[kSecond],
                         out.operands[static_cast<size_t>(tensor)]);
}

// .x32 of a spelling.
int64_t RepeatOf(const Making& m) {
  for (int64_t n = 128; n > 1; n /= 2) {
    if (m.Has(fmt::format(".x{}", n))) return n;
  }
  return 1;
}

bool MakeMove(Making& m) {
  const bool stores = m.spelling().starts_with("tcgen05.st");
  m.op = stores ? OpKind::kTcgen05St : OpKind::kTcgen05Ld;
  const size_t address = stores ? 0 : 1;
  const int64_t repeat = RepeatOf(m);
  const int64_t packed = m.Has(".pack::16b") || m.Has(".unpack::16b") ? 2 : 1;
  int64_t lanes = 16, columns = 0, second = -1;
  if (m.Has(".32x32b")) {
    lanes = 32;
    columns = repeat;
  } else if (m.Has(".16x64b")) {
    columns = 2 * repeat;
  } else if (m.Has(".16x128b")) {
    columns = 4 * repeat;
  } else if (m.Has(".16x256b")) {
    columns = 8 * repeat;
  } else if (m.Has(".16x32bx2")) {
    columns = repeat;
    const Operand& offset = m.operand(address + 1);
    if (offset.kind != Operand::Kind::kNumber)
      return m.Refuse("the offset of its second half is no number");
    second = static_cast<int64_t>(offset.number.value());
  } else {
    return m.Refuse("its shape is not known");
  }
  m.Tile(stores ? int{St::kDst} : int{Ld::kSrc}, ir::Space::kTmem);
  m.Tile(stores ? int{St::kSrc} : int{Ld::kDst}, ir::Space::kReg);
  m.step.numbers = {lanes, columns * packed, second, stores};
  const size_t vector = stores ? m.operands() - 1 : 0;
  for (const Leaf& leaf : m.leaves) {
    if (leaf.of == vector && leaf.reg >= 0) m.step.numbers.push_back(leaf.reg);
  }
  m.step.fill = FillMove;
  if (!stores) m.Results(0);
  return m.Add(address) || m.Refuse("its address is not followed");
}

bool MakeWait(Making& m) {
  m.op = m.spelling().starts_with("tcgen05.wait::ld") ? OpKind::kTcgen05WaitLd
                                                      : OpKind::kTcgen05WaitSt;
  return true;
}

bool MakeFence(Making& m) {
  m.op = m.spelling().starts_with("tcgen05.fence::before")
             ? OpKind::kTcgen05FenceBefore
             : OpKind::kTcgen05FenceAfter;
  return true;
}

// --- copies -----------------------------------------------------------------

// Numbers of the step: rows in shared memory, bytes of each.
bool FillCopy(Filling& f, const Step& s, ir::ConcreteOp& out) {
  int64_t bits = 0;
  if (!f.Number(s.sources[1], &bits)) return false;
  MatrixShape shape;
  shape.rows = s.numbers[0];
  shape.k_bytes = s.numbers[1];
  shape.element_bits = 8;
  machine::ByteSets::Parts parts;
  std::string why;
  if (!Tcgen05Matrix(static_cast<uint64_t>(bits), shape, &parts, &why))
    return f.Open(std::move(why));
  f.Listed(ir::Space::kShared, f.guide().decls().shared, std::move(parts),
           out.operands[1]);
  TensorTile tile;
  // .warpx2 and .warpx4 write what they have of rows to all lanes.
  tile.Lanes(0, ir::kTmemLanes, s.numbers[1]);
  return f.Tensor(s.sources[0], tile, out.operands[0]);
}

bool MakeCopy(Making& m) {
  constexpr std::tuple<std::string_view, int64_t, int64_t> kShapes[] = {
      {".128x256b", 128, 32},
      {".128x128b", 128, 16},
      {".64x128b", 64, 16},
      {".32x128b", 32, 16}};
  m.op = OpKind::kTcgen05Cp;
  Group(m);
  for (auto [word, rows, bytes] : kShapes) {
    if (!m.Has(word)) continue;
    m.step.numbers = {rows, bytes};
  }
  if (m.step.numbers.empty()) return m.Refuse("its shape is not followed");
  if (m.Has(".b8x16")) return m.Refuse("it decompresses what it copies");
  m.Tile(0, ir::Space::kTmem);
  m.Tile(1, ir::Space::kShared);
  m.step.fill = FillCopy;
  m.step.collective = 2;
  return (m.Add(0) && m.Add(1)) || m.Refuse("an operand is no number");
}

// PTX 9.7.16.9.3: all rows from its lane on, 32 bytes of each.
bool FillShift(Filling& f, const Step& s, ir::ConcreteOp& out) {
  constexpr int64_t kBytes = 32;
  int64_t address = 0;
  if (!f.Number(s.sources[0], &address)) return false;
  const TensorAddress at(static_cast<uint64_t>(address));
  if (at.lane % ir::kQuarterLanes != 0)
    return f.Bad("tcgen05/lanes",
                 fmt::format("the first lane that is shifted is {}: it is a "
                             "multiple of 32",
                             at.lane));
  TensorTile tile;
  tile.Lanes(0, ir::kTmemLanes - at.lane, kBytes);
  return f.Tensor(s.sources[0], tile, out.operands[0]);
}

bool MakeShift(Making& m) {
  m.op = OpKind::kTcgen05Shift;
  Group(m);
  m.Tile(0, ir::Space::kTmem);
  m.step.fill = FillShift;
  m.step.collective = 1;
  return m.Add(0) || m.Refuse("its address is not followed");
}

}  // namespace

const std::vector<OpRow>& Tcgen05Rows() {
  static const std::vector<OpRow> kRows = {
      {"tcgen05.alloc", MakeAlloc},
      {"tcgen05.dealloc", MakeAlloc},
      {"tcgen05.relinquish_alloc_permit", MakeRelinquish},
      {"tcgen05.mma", MakeMma},
      {"tcgen05.commit", MakeCommit},
      {"tcgen05.ld", MakeMove},
      {"tcgen05.st", MakeMove},
      {"tcgen05.wait", MakeWait},
      {"tcgen05.fence", MakeFence},
      {"tcgen05.cp", MakeCopy},
      {"tcgen05.shift", MakeShift},
  };
  return kRows;
}

}  // namespace tilesim::ptx
