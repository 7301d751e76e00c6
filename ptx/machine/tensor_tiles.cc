#include "ptx/machine/tensor_tiles.h"

#include <string_view>
#include <utility>

namespace tilesim::ptx {
namespace {

// Of all kinds, dense.
constexpr int64_t kBytesOfK = 32;

int64_t Field(uint32_t bits, int at, int width) {
  return static_cast<int64_t>(bits >> at & ((1u << width) - 1));
}

bool IsScaled(Product::Kind kind) { return kind >= Product::Kind::kMxf8f6f4; }

ir::DType TypeOf(Product::Kind kind, int64_t code) {
  using Kind = Product::Kind;
  switch (kind) {
    case Kind::kF16:
      return code == 1 ? ir::DType::kBF16 : ir::DType::kF16;
    case Kind::kTf32:
      return ir::DType::kTF32;
    case Kind::kI8:
      return code == 1 ? ir::DType::kS8 : ir::DType::kU8;
    case Kind::kMxf4:
    case Kind::kMxf4nvf4:
      return ir::DType::kE2M1;
    default:
      return code == 1   ? ir::DType::kE5M2
             : code == 3 ? ir::DType::kE2M3
             : code == 4 ? ir::DType::kE3M2
             : code == 5 ? ir::DType::kE2M1
                         : ir::DType::kE4M3;
  }
}

// Rows of one row of lanes of 16 in each quarter, or all lanes.
TensorTile OfRows(ir::DataPath path, int64_t bytes) {
  TensorTile out;
  if (path != ir::DataPath::kF) {
    out.Lanes(0, ir::kTmemLanes, bytes);
    return out;
  }
  constexpr int64_t kRows = 16;
  for (int64_t q = 0; q < ir::kTmemLanes; q += ir::kQuarterLanes)
    out.Lanes(q, kRows, bytes);
  return out;
}

}  // namespace

std::optional<Product::Kind> Product::KindOf(const Instruction& instruction) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {".kind::f16", Kind::kF16},           {".kind::tf32", Kind::kTf32},
      {".kind::f8f6f4", Kind::kF8f6f4},     {".kind::i8", Kind::kI8},
      {".kind::mxf8f6f4", Kind::kMxf8f6f4}, {".kind::mxf4", Kind::kMxf4},
      {".kind::mxf4nvf4", Kind::kMxf4nvf4}};
  for (auto [word, kind] : kKinds) {
    if (instruction.Has(word)) return kind;
  }
  return std::nullopt;
}

Product::Product(Kind kind, uint32_t descriptor, bool of_pair) : pair(of_pair) {
  n = Field(descriptor, 17, 6) * 8;
  m = IsScaled(kind) ? Field(descriptor, 27, 2) * 128
                     : Field(descriptor, 24, 5) * 16;
  a_mn_major = Field(descriptor, 15, 1) != 0;
  b_mn_major = Field(descriptor, 16, 1) != 0;
  a_type = TypeOf(kind, Field(descriptor, 7, 3));
  b_type = TypeOf(kind, Field(descriptor, 10, 3));
  negate_a = Field(descriptor, 13, 1) != 0;
  negate_b = Field(descriptor, 14, 1) != 0;
  bits = kind == Kind::kF16 ? 16 : kind == Kind::kTf32 ? 32 : 8;
  if (kind == Kind::kI8) d_type = ir::DType::kS32;
  if (!IsScaled(kind)) {
    if (kind != Kind::kI8 && Field(descriptor, 4, 2) == 0)
      d_type = ir::DType::kF16;
    return;
  }
  scaled = true;
  if (Field(descriptor, 23, 1) == 0) factor_type = ir::DType::kUE4M3;
  factors = kind == Kind::kMxf8f6f4 ? 1 : kind == Kind::kMxf4 ? 2 : 4;
  b_factor = Field(descriptor, 4, 2);
  a_factor = Field(descriptor, 29, 2);
}

MatrixShape Product::A() const {
  return {.rows = pair ? m / 2 : m,
          .k_bytes = kBytesOfK,
          .element_bits = bits,
          .mn_major = a_mn_major};
}

MatrixShape Product::B() const {
  return {.rows = pair ? n / 2 : n,
          .k_bytes = kBytesOfK,
          .element_bits = bits,
          .mn_major = b_mn_major};
}

// An element has a column, also of 16 bits.
TensorTile TensorTile::OfD(const Product& p, ir::DataPath path) {
  return OfRows(path, ir::LaneColumns(path, p.n) * ir::kColumnBytes);
}

TensorTile TensorTile::OfA(const Product&, ir::DataPath path) {
  return OfRows(path, kBytesOfK);
}

// Row r has its factors in lane r % 32 of each quarter, in column r / 32.
TensorTile TensorTile::OfFactors(const Product& p, bool of_a) {
  TensorTile out;
  const int64_t rows = of_a ? (p.pair ? p.m / 2 : p.m) : p.n;
  const int64_t first = of_a ? p.a_factor : p.b_factor;
  for (int64_t c = 0; c < ir::ScaleColumns(rows); ++c) {
    const int64_t at = c * ir::kColumnBytes + first;
    out.parts.push_back({0, ir::kTmemLanes, at, at + p.factors});
  }
  return out;
}

}  // namespace tilesim::ptx
