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

constexpr int kDst = 0;
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

void Cvt(OpCheck& c) {
  if (c.SameFragment(kDst, ops::Cvt::kSrc)) c.SameShape(kDst, ops::Cvt::kSrc);
  bool rz = c.mod(0) == 1;
  Tile dst = c.tile(kDst);
  bool narrow = values::IsFloat(dst.dtype()) && dst.bits() <= 8;
  if (!rz || !narrow) return;
  c.Error("type/dtype", -1,
          ir::Cat("there is no `cvt.rz` to ", values::NameOf(dst.dtype())),
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
  if (!c.SameFragment(Op::kDst, Op::kSrc)) return;
  Tile dst = c.tile(Op::kDst), src = c.tile(Op::kSrc);
  if (dst.cols() != 1 || dst.rows() != src.rows()) {
    c.Error("shape/mismatch", Op::kDst,
            ir::Cat(c.Text(Op::kDst), " is ", dst.Shape(),
                    "; a value a row "
                    "of ",
                    c.Text(Op::kSrc), " is ", src.rows(), "x1"));
  }
  Fragment f = src.decl->fragment;
  bool rows =
      f == Fragment::kWgmma || f == Fragment::kMma || f == Fragment::kRow;
  if (rows) return;
  c.Error("layout/fragment", Op::kSrc,
          ir::Cat("rows of ", c.Text(Op::kSrc), " in fragment ", ir::Name(f),
                  " are not held by the lanes of one warp"));
}

void Mask(OpCheck& c) {
  Tile t = c.tile(ops::MaskCausal::kDst);
  if (values::IsFloat(t.dtype())) return;
  c.Error("type/dtype", ops::MaskCausal::kDst,
          ir::Cat(values::NameOf(t.dtype()), " has no infinity"));
}

constexpr Rule kRules[] = {
    {OpKind::kMov, Mov},         {OpKind::kCvt, Cvt},
    {OpKind::kNeg, Unary},       {OpKind::kAdd, Elementwise},
    {OpKind::kSub, Elementwise}, {OpKind::kMul, Elementwise},
    {OpKind::kFma, Elementwise}, {OpKind::kMax, Elementwise},
    {OpKind::kMin, Elementwise}, {OpKind::kEx2, Unary},
    {OpKind::kLg2, Unary},       {OpKind::kRcp, Unary},
    {OpKind::kRowMax, Row},      {OpKind::kRowSum, Row},
    {OpKind::kMaskCausal, Mask},
};

}  // namespace

std::span<const Rule> TileRules() { return kRules; }

}  // namespace tilesim::frontend
