#include "hwtests/emit/tcgen05_operands.h"

#include "fmt/format.h"
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
  std::string text = e.kernel().TmemName(bound.pool);
  std::string index = e.Index(tile);
  if (!IsNumber(index)) return PlusText(text, TimesText(index, bound.columns));
  *constant += std::stoll(index) * bound.columns;
  return text;
}

bool IsFp8OrFp6(DType t) {
  return t == DType::kE4M3 || t == DType::kE5M2 || t == DType::kE2M3 ||
         t == DType::kE3M2;
}

bool IsInt8(DType t) { return t == DType::kS8 || t == DType::kU8; }

std::optional<Tcgen05Kind> KindOf(DType a, DType b, DType d) {
  if (a == b && a == DType::kF16 && (d == DType::kF32 || d == DType::kF16))
    return Tcgen05Kind::kF16;
  if (a == b && a == DType::kBF16 && d == DType::kF32) return Tcgen05Kind::kF16;
  if (a == b && a == DType::kTF32 && d == DType::kF32)
    return Tcgen05Kind::kTf32;
  if (IsFp8OrFp6(a) && IsFp8OrFp6(b) && (d == DType::kF32 || d == DType::kF16))
    return Tcgen05Kind::kF8f6f4;
  if (IsInt8(a) && IsInt8(b) && d == DType::kS32) return Tcgen05Kind::kI8;
  return std::nullopt;
}

std::optional<Tcgen05Kind> ScaledKindOf(DType a, DType b, DType d,
                                        const TileRef& scales, int64_t k) {
  if (d != DType::kF32) return std::nullopt;
  bool ue8m0 = scales.dtype() == DType::kUE8M0;
  if (IsFp8OrFp6(a) && IsFp8OrFp6(b) && ue8m0) return Tcgen05Kind::kMxf8f6f4;
  if (a != DType::kE2M1 || b != DType::kE2M1) return std::nullopt;
  // A scale for every 16 elements, or for every 32.
  return k == 16 * scales.cols() ? Tcgen05Kind::kMxf4nvf4 : Tcgen05Kind::kMxf4;
}

// hardware.md B.2.
std::string ShapeMistake(const InstructionShape& s, bool pair) {
  bool m_ok = pair ? s.m == 128 || s.m == 256 : s.m == 64 || s.m == 128;
  if (IsBlockScaled(s.kind) && !pair) m_ok = s.m == 128;
  int64_t step = pair ? 16 : 8;
  if (s.kind == Tcgen05Kind::kI8 && s.n > 32) step = pair ? 32 : 16;
  if (!m_ok) return Cat("there is no instruction with M = ", s.m);
  if (s.n < step || s.n > 256 || s.n % step != 0)
    return Cat("there is no instruction with N = ", s.n);
  bool transposed = s.a_mn_major || s.b_mn_major;
  if (s.kind == Tcgen05Kind::kTf32 && transposed)
    return "transposed tf32 needs a swizzle that tiles do not have";
  if (s.a == DType::kE2M1 && transposed)
    return "fp4 operands may not be transposed";
  return "";
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
    text = PlusText(text, e.kernel().Term(*tile.dims[last].start));
  } else {
    text =
        PlusText(text, Cat(e.kernel().Factor(*tile.dims[last].start), " * ",
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
  std::optional<Tcgen05Kind> kind =
      scales == nullptr
          ? KindOf(a.dtype(), b.dtype(), d.dtype())
          : ScaledKindOf(a.dtype(), b.dtype(), d.dtype(), *scales, right->k);
  if (!kind) {
    e.Unsupported(Cat("of ", values::NameOf(a.dtype()), " and ",
                      values::NameOf(b.dtype()), " into ",
                      values::NameOf(d.dtype())));
    return std::nullopt;
  }
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
  o.shape = {*kind,
             a.dtype(),
             b.dtype(),
             d.dtype(),
             rows * (pair ? 2 : 1),
             o.b.mn * (pair ? 2 : 1),
             o.a && o.a->mn_major,
             o.b.mn_major};
  if (scales != nullptr) o.shape.scale_ue8m0 = scales->dtype() == DType::kUE8M0;
  int64_t step = ir::kMmaBytes * 8 / a.bits();
  o.instructions = k / step;
  std::string mistake = ShapeMistake(o.shape, pair);
  if (mistake.empty() && (k != o.b.k || k % step != 0))
    mistake =
        Cat("K = ", k, " and ", o.b.k, " do not fit instructions of ", step);
  if (mistake.empty() && !pair && d.cols() != o.shape.n)
    mistake = Cat("D has ", d.cols(), " columns, but N is ", o.shape.n);
  if (mistake.empty()) return o;
  e.Shape(mistake);
  return std::nullopt;
}

std::string Tcgen05DescriptorText(const MatrixOperand& m) {
  return Cat("tile::matrix_descriptor<0x",
             fmt::format("{:016x}", Tcgen05Descriptor(0, m.layout)), ">(",
             m.address, ")");
}

}  // namespace tilesim::hwtests
