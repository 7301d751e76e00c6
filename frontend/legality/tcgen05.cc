// tcgen05: the table of hardware.md B.2 and the rules of A.8.
#include "ir/ops/tcgen05.h"

#include <algorithm>
#include <bit>

#include "frontend/legality/layout.h"
#include "frontend/legality/rules.h"
#include "ir/cat.h"
#include "ir/tmem.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
namespace ops = ir::ops;

constexpr std::string_view kTable = "hardware.md B.2 (PTX Table 39)";
constexpr std::string_view kRules8 = "hardware.md A.8";
constexpr std::string_view kDescriptor = "hardware.md E.2 (PTX 9.7.16.4)";
constexpr int kD = ops::Tcgen05Mma::kD, kA = ops::Tcgen05Mma::kA,
              kB = ops::Tcgen05Mma::kB;

enum class MmaKind { kNone, kF16, kTf32, kF8f6f4, kI8, kMxf8f6f4, kMxf4 };

bool IsFp8OrFp6(DType t) {
  return t == DType::kE4M3 || t == DType::kE5M2 || t == DType::kE2M3 ||
         t == DType::kE3M2;
}
bool IsInt8(DType t) { return t == DType::kS8 || t == DType::kU8; }

// e2m1 is packed two a byte here, which is what kinds mxf4 read; f8f6f4 would
// want it in containers of a byte.
MmaKind DenseKind(DType a, DType b, DType d) {
  bool f32 = d == DType::kF32, f16 = d == DType::kF16;
  if (a == DType::kF16 && b == a && (f32 || f16)) return MmaKind::kF16;
  if (a == DType::kBF16 && b == a && f32) return MmaKind::kF16;
  if (a == DType::kTF32 && b == a && f32) return MmaKind::kTf32;
  if (IsFp8OrFp6(a) && IsFp8OrFp6(b) && (f32 || f16)) return MmaKind::kF8f6f4;
  if (IsInt8(a) && IsInt8(b) && d == DType::kS32) return MmaKind::kI8;
  return MmaKind::kNone;
}

MmaKind ScaledKind(DType a, DType b, DType d) {
  if (d != DType::kF32) return MmaKind::kNone;
  if (a == DType::kE2M1 && b == a) return MmaKind::kMxf4;
  if (IsFp8OrFp6(a) && IsFp8OrFp6(b)) return MmaKind::kMxf8f6f4;
  return MmaKind::kNone;
}

int64_t InstructionK(MmaKind kind) {
  switch (kind) {
    case MmaKind::kF16:
      return 16;
    case MmaKind::kTf32:
      return 8;
    case MmaKind::kMxf4:
      return 64;
    default:
      return 32;
  }
}

bool Pair(const OpCheck& c) { return ops::IsPair(c.op()); }

// --- shapes ----------------------------------------------------------------

void CheckM(OpCheck& c, MmaKind kind) {
  Tile a = c.tile(kA), d = c.tile(kD);
  int64_t rows = a.used_rows();  // of this CTA
  bool scaled = kind == MmaKind::kMxf8f6f4 || kind == MmaKind::kMxf4;
  bool fits = rows == 128 || (rows == 64 && (Pair(c) || !scaled));
  if (!fits) {
    c.Error("shape/tcgen05", kA,
            ir::Cat("M is ", rows, Pair(c) ? " in each CTA" : "", "; it is ",
                    scaled && !Pair(c) ? "128" : "64 or 128"),
            kTable);
  }
  if (d.rows() == rows) return;
  c.Error("shape/mismatch", kD,
          ir::Cat(c.Text(kD), " has ", d.rows(), " rows; M is ", rows));
}

// `wide`: of an 8-bit MN-major B (PTX 9.7.16.10.1, Table 52).
int64_t StepOfN(int64_t n, bool pair, MmaKind kind, bool wide) {
  int64_t whole = pair ? 32 : 16;
  if (wide) return whole;
  if (kind != MmaKind::kI8) return whole / 2;
  return !pair && n <= 32 ? 8 : whole;
}

void CheckN(OpCheck& c, MmaKind kind) {
  Tile b = c.tile(kB), d = c.tile(kD);
  int64_t n = d.cols(), rows = Pair(c) ? n / 2 : n;
  bool wide = b.transposed && b.bits() <= 8;
  int64_t step = StepOfN(n, Pair(c), kind, wide);
  if (n < step || n > 256 || n % step != 0) {
    c.Error("shape/tcgen05", kD,
            ir::Cat("N is ", n, "; it is at most 256 in steps of ",
                    kind == MmaKind::kI8 ? (Pair(c) ? 32 : 16) : step,
                    wide ? " with a transposed B of 8 bits" : ""),
            kTable);
  }
  if (b.used_rows() == rows) return;
  c.Error("shape/mismatch", kB,
          ir::Cat(c.Text(kB), " has ", b.used_rows(), " rows; N is ", n,
                  Pair(c) ? ir::Cat(", ", rows, " in each CTA") : ""));
}

void CheckK(OpCheck& c, MmaKind kind) {
  Tile a = c.tile(kA), b = c.tile(kB);
  int64_t k = a.used_cols();
  if (k != b.used_cols()) {
    c.Error("shape/mismatch", kB,
            ir::Cat("K is ", k, " in ", c.Text(kA), " and ", b.used_cols(),
                    " in ", c.Text(kB)));
  }
  if (k % InstructionK(kind) == 0) return;
  c.Error("shape/tcgen05", kA,
          ir::Cat("K is ", k, ", not a multiple of the instruction's ",
                  InstructionK(kind)),
          kTable);
}

void Transposed(OpCheck& c, int operand, MmaKind kind) {
  if (!c.tile(operand).transposed) return;
  bool can = kind == MmaKind::kF16 || kind == MmaKind::kF8f6f4 ||
             kind == MmaKind::kI8 || kind == MmaKind::kMxf8f6f4;
  if (can && c.tile(operand).bits() >= 8) return;
  c.Error("type/transpose", operand,
          ir::Cat(values::NameOf(c.tile(operand).dtype()),
                  " operands are K-major only"),
          kTable);
}

void Operands(OpCheck& c, MmaKind kind) {
  for (int operand : {kA, kB}) {
    Transposed(c, operand, kind);
    if (c.tile(operand).space() != ir::Space::kShared) continue;
    Described(c, operand, kDescriptor);
    c.OwnCta(operand, kRules8);
  }
}

// All tcgen05 ops of a kernel use one cta_group; a pair needs a cluster.
void Group(OpCheck& c) {
  if (!Pair(c) || c.bound().cluster_size() % 2 == 0) return;
  c.Error("tcgen05/group", -1,
          ir::Cat("`.cta_group::2` needs pairs of CTAs; the cluster has ",
                  c.bound().cluster_size()),
          kRules8);
}

void NoKind(OpCheck& c) {
  c.Error("type/dtype", -1,
          ir::Cat("there is no `", c.mnemonic(), "` from ",
                  values::NameOf(c.tile(kA).dtype()), " and ",
                  values::NameOf(c.tile(kB).dtype()), " to ",
                  values::NameOf(c.tile(kD).dtype())),
          kTable);
}

// A product of half the lanes has A and D in the same ones (PTX 9.7.16.10.5).
void Lanes(OpCheck& c) {
  Tile a = c.tile(kA), d = c.tile(kD);
  if (a.space() != ir::Space::kTmem || Pair(c) || d.rows() != 64) return;
  auto of_a = a.first_row(), of_d = d.first_row();
  if (!of_a || !of_d || *of_a == *of_d) return;
  c.Error("tcgen05/lanes", kA,
          ir::Cat(c.Text(kA), " starts at lane ", *of_a, " and ", c.Text(kD),
                  " at lane ", *of_d,
                  "; a product of 64 rows has both in the same lanes"),
          "PTX 9.7.16.10.5");
}

void Shapes(OpCheck& c, MmaKind kind) {
  CheckM(c, kind);
  Lanes(c);
  CheckN(c, kind);
  CheckK(c, kind);
  Operands(c, kind);
}

void Mma(OpCheck& c) {
  Group(c);
  MmaKind kind =
      DenseKind(c.tile(kA).dtype(), c.tile(kB).dtype(), c.tile(kD).dtype());
  if (kind == MmaKind::kNone) return NoKind(c);
  Shapes(c, kind);
}

// --- block scaling ----------------------------------------------------------

// mxf8f6f4: ue8m0, a factor for 32; mxf4: ue8m0, 32; mxf4nvf4: ue8m0 for 32
// or 16, ue4m3 for 16.
bool BlockFits(DType scale, MmaKind kind, int64_t block) {
  if (scale == DType::kUE4M3) return kind == MmaKind::kMxf4 && block == 16;
  return block == 32 || (kind == MmaKind::kMxf4 && block == 16);
}

void Scale(OpCheck& c, int operand, int of, MmaKind kind) {
  if (!c.TypeIn(operand, {DType::kUE8M0, DType::kUE4M3}, kTable)) return;
  Tile s = c.tile(operand), t = c.tile(of);
  int64_t block = s.cols() == 0 ? 0 : t.used_cols() / s.cols();
  if (s.cols() * block != t.used_cols() || !BlockFits(s.dtype(), kind, block)) {
    c.Error("shape/scale", operand,
            ir::Cat(c.Text(operand), " has ", s.cols(), " factors for a K of ",
                    t.used_cols(), "; a factor is for 32",
                    kind == MmaKind::kMxf4 ? " or 16" : ""),
            kTable);
  }
  // With a pair, each CTA holds the factors of all of N.
  bool rows = s.rows() == t.used_rows() ||
              (of == kB && Pair(c) && s.rows() == 2 * t.used_rows());
  if (rows) return;
  c.Error("shape/scale", operand,
          ir::Cat(c.Text(operand), " has ", s.rows(), " rows and ", c.Text(of),
                  " ", t.used_rows()),
          kTable);
}

void MmaBlockScale(OpCheck& c) {
  Group(c);
  MmaKind kind =
      ScaledKind(c.tile(kA).dtype(), c.tile(kB).dtype(), c.tile(kD).dtype());
  if (kind == MmaKind::kNone) return NoKind(c);
  Shapes(c, kind);
  using Op = ops::Tcgen05MmaBlockScale;
  Scale(c, Op::kSfa, kA, kind);
  Scale(c, Op::kSfb, kB, kind);
  if (c.tile(Op::kSfa).dtype() != c.tile(Op::kSfb).dtype())
    c.SameType(Op::kSfa, Op::kSfb);
}

// --- allocation, completion
// ---------------------------------------------------

void OneWarp(OpCheck& c) {
  if (!c.threads().exact || c.threads().warps() <= 1) return;
  c.Error("scope/collective", -1,
          ir::Cat("`", c.mnemonic(), "` is for one warp; ",
                  c.threads().Describe(), " execute it"),
          kRules8);
}

void Alloc(OpCheck& c) {
  constexpr int kPool = ops::Tcgen05Alloc::kPool;
  Group(c);
  OneWarp(c);
  const ir::BoundDecl& pool = c.bound().decls[c.ref(kPool).decl];
  int64_t n = pool.columns;
  if (n >= 32 && n <= ir::kTmemColumns &&
      std::has_single_bit(static_cast<uint64_t>(n)))
    return;
  c.Error("tmem/columns", kPool,
          ir::Cat("`", c.ref(kPool).name, "` has ", n,
                  " columns; an allocation is a power of two, 32 to 512"),
          kRules8);
}

void Dealloc(OpCheck& c) {
  Group(c);
  OneWarp(c);
}

void Commit(OpCheck& c) {
  Group(c);
  if (c.has(ops::Tcgen05Commit::kMulticast))
    c.ClusterMask(ops::Tcgen05Commit::kMulticast);
}

// --- ld, st, cp, shift
// --------------------------------------------------------

// A warp reaches the quarter of the lanes that its number modulo 4 names.
void Quarter(OpCheck& c, int tmem) {
  Tile t = c.tile(tmem);
  if (!c.threads().exact || !t.first_row() || t.rows() != ir::kQuarterLanes)
    return;
  for (int w = 0; w < ir::kMaxWarps; ++w) {
    int64_t first = ir::FirstLaneOf(w);
    if (c.threads().lanes[w] == 0 || *t.first_row() == first) continue;
    c.Error("tcgen05/lanes", tmem,
            ir::Cat("warp ", w, " reaches lanes ", first, " to ",
                    first + ir::kQuarterLanes - 1, "; ", c.Text(tmem),
                    " starts at lane ", *t.first_row()),
            kRules8);
    return;
  }
}

void Move(OpCheck& c, int reg, int tmem) {
  c.SameType(reg, tmem);
  c.SameShape(reg, tmem);
  ir::Fragment f = c.tile(reg).decl->fragment;
  if (f != ir::Fragment::kRow) {
    c.Error("layout/fragment", reg,
            ir::Cat(c.Text(reg), " lies in fragment ", ir::Name(f), "; `",
                    c.mnemonic(), "` moves `row`"),
            kRules8);
  }
  Quarter(c, tmem);
}

void Ld(OpCheck& c) { Move(c, ops::Tcgen05Ld::kDst, ops::Tcgen05Ld::kSrc); }
void St(OpCheck& c) { Move(c, ops::Tcgen05St::kSrc, ops::Tcgen05St::kDst); }

void Cp(OpCheck& c) {
  using Op = ops::Tcgen05Cp;
  Group(c);
  c.SameType(Op::kDst, Op::kSrc);
  Tile dst = c.tile(Op::kDst), src = c.tile(Op::kSrc);
  if (dst.elements() != src.elements()) c.SameShape(Op::kDst, Op::kSrc);
  c.OwnCta(Op::kSrc, kRules8);
  constexpr int64_t kLanes[] = {4, 32, 64, ir::kTmemLanes};
  bool shape = std::find(std::begin(kLanes), std::end(kLanes), dst.rows()) !=
               std::end(kLanes);
  if (shape || ir::IsScale(dst.dtype())) return;
  c.Error("shape/instruction", Op::kDst,
          ir::Cat(c.Text(Op::kDst), " has ", dst.rows(),
                  " rows; a copy has 4, 32, 64 or 128 lanes"),
          "PTX 9.7.16.9.2, 9.7.16.2.3");
}

void Shift(OpCheck& c) {
  Group(c);
  constexpr int kTile = ops::Tcgen05Shift::kTile;
  Tile t = c.tile(kTile);
  if (t.rows() % 32 == 0) return;
  c.Error("tcgen05/lanes", kTile,
          ir::Cat(c.Text(kTile), " is not whole groups of 32 lanes"), kRules8);
}

}  // namespace

void CheckOp(ops::Tcgen05Alloc, OpCheck& c) { Alloc(c); }
void CheckOp(ops::Tcgen05Dealloc, OpCheck& c) { Dealloc(c); }
void CheckOp(ops::Tcgen05RelinquishAllocPermit, OpCheck& c) { Group(c); }
void CheckOp(ops::Tcgen05Mma, OpCheck& c) { Mma(c); }
void CheckOp(ops::Tcgen05MmaBlockScale, OpCheck& c) { MmaBlockScale(c); }
void CheckOp(ops::Tcgen05Commit, OpCheck& c) { Commit(c); }
void CheckOp(ops::Tcgen05Ld, OpCheck& c) { Ld(c); }
void CheckOp(ops::Tcgen05St, OpCheck& c) { St(c); }
void CheckOp(ops::Tcgen05Cp, OpCheck& c) { Cp(c); }
void CheckOp(ops::Tcgen05Shift, OpCheck& c) { Shift(c); }

}  // namespace tilesim::frontend
