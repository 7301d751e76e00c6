#include "hwtests/emit/tcgen05_operands.h"

#include "hwtests/emit/hex_text.h"
#include "ir/cat.h"
#include "ir/ops/tcgen05.h"
#include "ir/tmem.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
using ir::DType;
using Mma = ir::ops::Tcgen05Mma;

bool IsNumber(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The pool's address and the object's columns; adds what is constant.
std::string ObjectAddress(OpEmitter& e, const TileRef& tile,
                          int64_t* constant) {
  const ir::BoundDecl& bound = *tile.bound;
  *constant += bound.place;
  std::string text = e.print().TmemName(bound.pool);
  std::string index = e.Index(tile);
  if (!IsNumber(index)) return PlusText(text, TimesText(index, bound.columns));
  *constant += std::stoll(index) * bound.columns;
  return text;
}

bool IsInt8(DType t) { return t == DType::kS8 || t == DType::kU8; }

// B fits A: that is legality's.
Tcgen05Kind KindOf(DType a) {
  if (a == DType::kF16 || a == DType::kBF16) return Tcgen05Kind::kF16;
  if (a == DType::kTF32) return Tcgen05Kind::kTf32;
  return IsInt8(a) ? Tcgen05Kind::kI8 : Tcgen05Kind::kF8f6f4;
}

Tcgen05Kind ScaledKindOf(DType a, const TileRef& scales, int64_t k) {
  if (a != DType::kE2M1) return Tcgen05Kind::kMxf8f6f4;
  // A scale for every 16 elements, or for every 32.
  return k == 16 * scales.cols() ? Tcgen05Kind::kMxf4nvf4 : Tcgen05Kind::kMxf4;
}

}  // namespace

std::string PairSuffix(const OpEmitter& e) {
  return ir::ops::IsPair(e.op()) ? "_pair" : "";
}

std::string TmemAddress(OpEmitter& e, const TileRef& tile) {
  int64_t constant = 0;
  std::string text = ObjectAddress(e, tile, &constant);
  size_t last = tile.dims.size() - 1;
  if (std::optional<int64_t> col = e.ConstantStart(tile, last)) {
    constant += *col * ir::StepBits(*tile.bound) / ir::kColumnBits;
  } else if (ir::StepBits(*tile.bound) == ir::kColumnBits) {
    text = PlusText(text, e.print().Term(*tile.dims[last].start));
  } else {
    text =
        PlusText(text, Cat(e.print().Factor(*tile.dims[last].start), " * ",
                           ir::StepBits(*tile.bound), " / ", ir::kColumnBits));
  }
  std::string row = e.StartRow(tile);
  if (row != "0") text = PlusText(text, Cat("(", WordText(row), " << 16)"));
  return PlusText(text, Cat(constant));
}

std::string ScaleAddress(OpEmitter& e, const TileRef& tile) {
  constexpr int64_t kRows = ir::kQuarterLanes, kFactors = ir::kFactorsOfColumn;
  int64_t constant = 0;
  std::string text = ObjectAddress(e, tile, &constant);
  int64_t columns = ir::ScaleColumns(tile.bound->shape[0]);
  std::string row = e.StartRow(tile), col = e.StartCol(tile);
  if (IsNumber(row)) {
    constant += std::stoll(row) / kRows;
  } else {
    text = PlusText(text, Cat(WordText(row), " / ", kRows));
  }
  if (IsNumber(col)) {
    constant += std::stoll(col) / kFactors * columns;
  } else {
    text = PlusText(text, Cat(WordText(col), " / ", kFactors, " * ", columns));
  }
  return PlusText(text, Cat(constant));
}

std::optional<Tcgen05Operands> Tcgen05OperandsOf(OpEmitter& e,
                                                 const TileRef* scales) {
  TileRef d = e.Tile(Mma::kD), a = e.Tile(Mma::kA), b = e.Tile(Mma::kB);
  std::optional<MatrixOperand> right = MatrixOperandOf(e, Mma::kB);
  if (!right) return std::nullopt;
  Tcgen05Kind kind = scales == nullptr
                         ? KindOf(a.dtype())
                         : ScaledKindOf(a.dtype(), *scales, right->k);
  Tcgen05Operands o;
  o.b = *right;
  int64_t rows = a.rows(), k = a.cols();
  if (a.space() == ir::Space::kShared) {
    o.a = MatrixOperandOf(e, Mma::kA);
    if (!o.a) return std::nullopt;
    rows = o.a->mn;
    k = o.a->k;
  }
  bool pair = ir::ops::IsPair(e.op());
  o.shape = {kind,
             a.dtype(),
             b.dtype(),
             d.dtype(),
             rows * (pair ? 2 : 1),
             o.b.mn * (pair ? 2 : 1),
             o.a && o.a->mn_major,
             o.b.mn_major};
  if (scales != nullptr) o.shape.scale_ue8m0 = scales->dtype() == DType::kUE8M0;
  o.instructions = k * a.bits() / 8 / ir::kMmaBytes;
  return o;
}

std::string Tcgen05DescriptorText(const MatrixOperand& m) {
  return Cat("tile::matrix_descriptor<",
             HexText(Tcgen05Descriptor(0, m.layout), 16), ">(", m.address, ")");
}

}  // namespace tilesim::hwtests
