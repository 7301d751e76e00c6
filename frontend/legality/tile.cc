// Arithmetic on register tiles: same shape, same fragment, or one value a row.
#include "ir/ops/tile.h"

#include "frontend/legality/rules.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

using ir::DType;
using ir::Fragment;
using ir::OpKind;
namespace ops = ir::ops;

constexpr int kDst = ops::Mov::kDst;  // of every op here
constexpr std::string_view kFloat = "PTX 9.7.3";

// A source is a number, a tile like dst, or one value a row of it.
void Source(OpCheck& c, int operand, bool broadcast) {
  if (!c.is_ref(operand)) return;
  c.SameType(kDst, operand);
  if (!c.SameFragment(kDst, operand)) return;
  Tile dst = c.tile(kDst), src = c.tile(operand);
  bool row = broadcast && src.cols() == 1 && src.rows() == dst.rows();
  if (!row) c.SameShape(kDst, operand);
}

void Mov(OpCheck& c) { Source(c, ops::Mov::kSrc, false); }

// Bits that a value of the type has.
int WidthOf(DType t) { return t == DType::kTF32 ? 19 : values::BitsOf(t); }

// Whether a value of one type may be none of the other.
bool Rounds(DType from, DType to) {
  if (!values::IsFloat(to)) return values::IsFloat(from);
  if (!values::IsFloat(from)) return true;
  return WidthOf(to) < WidthOf(from) ||
         (WidthOf(to) == WidthOf(from) && to != from);
}

// Narrow floats are rounded to nearest and clamped, whatever is written.
bool IsNarrow(DType t) { return values::IsFloat(t) && values::BitsOf(t) <= 8; }

bool Clamps(DType from, DType to) {
  bool half = to == DType::kF16 || to == DType::kBF16 || to == DType::kTF32;
  return IsNarrow(to) || (half && from == DType::kF32);
}

void Cvt(OpCheck& c) {
  if (c.SameFragment(kDst, ops::Cvt::kSrc)) c.SameShape(kDst, ops::Cvt::kSrc);
  using Op = ops::Cvt;
  using ops::CvtRound;
  CvtRound::Value round = c.op().choice<Op, CvtRound>();
  DType from = c.tile(ops::Cvt::kSrc).dtype(), to = c.tile(kDst).dtype();
  bool truncates = Rounds(from, to) && !IsNarrow(to);
  bool there = (round != CvtRound::kTruncate || truncates) &&
               (round != CvtRound::kSatfinite || Clamps(from, to));
  if (there) return;
  c.Error("type/dtype", -1,
          ir::Cat("there is no `cvt.", c.op().spelling<Op, CvtRound>(),
                  "` from ", values::NameOf(from), " to ", values::NameOf(to)),
          "PTX 9.7.9.21");
}

void Elementwise(OpCheck& c) {
  for (size_t i = 1; i < c.op().operands.size(); ++i)
    Source(c, static_cast<int>(i), true);
}

// The approximate functions exist for f32.
void Unary(OpCheck& c) {
  Source(c, 1, false);
  if (c.op().info->kind != OpKind::kNeg) c.TypeIn(kDst, {DType::kF32}, kFloat);
}

void Row(OpCheck& c) {
  using Op = ops::RowMax;
  c.TypeIn(Op::kSrc, {DType::kF32}, kFloat);
  c.SameType(Op::kDst, Op::kSrc);
  Tile dst = c.tile(Op::kDst), src = c.tile(Op::kSrc);
  Fragment f = src.decl->fragment;
  if (f != Fragment::kWgmma && f != Fragment::kMma && f != Fragment::kRow) {
    c.Error("layout/fragment", Op::kSrc,
            ir::Cat("`", c.op().info->mnemonic,
                    "` takes tiles in fragment wgmma, mma and row, whose rows "
                    "the lanes of one warp hold; ",
                    c.Text(Op::kSrc), " is in ", FragmentOf(src)))
        .help =
        "rows of other tiles may lie in several warps: hand them over through "
        "shared memory, and read them in one of these fragments";
    return;
  }
  if (!c.SameFragment(Op::kDst, Op::kSrc)) return;
  if (dst.cols() == 1 && dst.rows() == src.rows()) return;
  c.Error("shape/mismatch", Op::kDst,
          ir::Cat(c.Text(Op::kDst), " is ", dst.Shape(), "; a value a row of ",
                  c.Text(Op::kSrc), " is ", src.rows(), "x1"));
}

void Mask(OpCheck& c) {
  Tile t = c.tile(ops::MaskCausal::kDst);
  if (values::IsFloat(t.dtype())) return;
  c.Error("type/dtype", ops::MaskCausal::kDst,
          ir::Cat(values::NameOf(t.dtype()), " has no infinity"));
}

}  // namespace

void CheckOp(ops::Mov, OpCheck& c) { Mov(c); }
void CheckOp(ops::Cvt, OpCheck& c) { Cvt(c); }
void CheckOp(ops::Neg, OpCheck& c) { Unary(c); }
void CheckOp(ops::Add, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Sub, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Mul, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Fma, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Max, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Min, OpCheck& c) { Elementwise(c); }
void CheckOp(ops::Ex2, OpCheck& c) { Unary(c); }
void CheckOp(ops::Lg2, OpCheck& c) { Unary(c); }
void CheckOp(ops::Rcp, OpCheck& c) { Unary(c); }
void CheckOp(ops::RowMax, OpCheck& c) { Row(c); }
void CheckOp(ops::RowSum, OpCheck& c) { Row(c); }
void CheckOp(ops::MaskCausal, OpCheck& c) { Mask(c); }

}  // namespace tilesim::frontend
