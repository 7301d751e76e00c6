// mma.sync and the moves of its operands: 16-bit, m16n8k16 blocks.
#include "ir/ops/mma.h"

#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
using ir::Fragment;
namespace ops = ir::ops;

constexpr std::string_view kPtx = "PTX 9.7.14.5";

void InFragment(OpCheck& c, int operand, std::vector<Fragment> allowed) {
  Fragment found = c.tile(operand).decl->fragment;
  for (Fragment f : allowed) {
    if (f == found) return;
  }
  std::string names;
  for (Fragment f : allowed)
    ir::Append(&names, names.empty() ? "" : " or ", "`", ir::Name(f), "`");
  c.Error("layout/fragment", operand,
          ir::Cat(c.Text(operand), " lies in fragment ", ir::Name(found), "; `",
                  c.mnemonic(), "` takes ", names),
          kPtx);
}

void Types(OpCheck& c) {
  using Op = ops::MmaSync;
  DType a = c.tile(Op::kA).dtype(), b = c.tile(Op::kB).dtype();
  DType d = c.tile(Op::kD).dtype();
  bool f16 = a == DType::kF16 && (d == DType::kF16 || d == DType::kF32);
  bool bf16 = a == DType::kBF16 && d == DType::kF32;
  if (a == b && (f16 || bf16)) return;
  c.Error("type/dtype", -1,
          ir::Cat("there is no `mma.sync` from ", values::NameOf(a), " and ",
                  values::NameOf(b), " to ", values::NameOf(d)),
          kPtx);
}

void Mma(OpCheck& c) {
  using Op = ops::MmaSync;
  InFragment(c, Op::kD, {Fragment::kMma});
  InFragment(c, Op::kA, {Fragment::kMmaA});
  InFragment(c, Op::kB, {Fragment::kMmaB});
  Types(c);
  Tile d = c.tile(Op::kD), a = c.tile(Op::kA), b = c.tile(Op::kB);
  bool fit =
      d.rows() == a.rows() && d.cols() == b.rows() && a.cols() == b.cols();
  if (fit) return;
  c.Error("shape/mismatch", -1,
          ir::Cat("D is ", d.Shape(), ", A ", a.Shape(), " and B ", b.Shape(),
                  "; they are MxN, MxK and NxK"),
          kPtx);
}

void Is16Bit(OpCheck& c, int operand) {
  if (c.tile(operand).bits() == 16) return;
  c.Error("type/dtype", operand,
          ir::Cat(c.Text(operand), " holds ",
                  values::NameOf(c.tile(operand).dtype()), "; `", c.mnemonic(),
                  "` moves 16-bit elements"),
          kPtx);
}

void Ldmatrix(OpCheck& c) {
  using Op = ops::Ldmatrix;
  InFragment(c, Op::kDst, {Fragment::kMmaA, Fragment::kMmaB});
  Is16Bit(c, Op::kDst);
  c.SameType(Op::kDst, Op::kSrc);
  c.SameShape(Op::kDst, Op::kSrc);
}

void Stmatrix(OpCheck& c) {
  using Op = ops::Stmatrix;
  InFragment(c, Op::kSrc, {Fragment::kWgmma, Fragment::kMma});
  Is16Bit(c, Op::kSrc);
  c.SameType(Op::kSrc, Op::kDst);
  c.SameShape(Op::kSrc, Op::kDst);
}

}  // namespace

void CheckOp(ops::MmaSync, OpCheck& c) { Mma(c); }
void CheckOp(ops::Ldmatrix, OpCheck& c) { Ldmatrix(c); }
void CheckOp(ops::Stmatrix, OpCheck& c) { Stmatrix(c); }

}  // namespace tilesim::frontend
