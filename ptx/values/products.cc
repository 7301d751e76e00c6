#include "ptx/values/products.h"

#include <cstring>

namespace tilesim::ptx {

using values::DType;

arith::CodeView Codes::View() const {
  return transposed ? arith::CodeView{bytes.data(), type, 1, rows}
                    : arith::CodeView{bytes.data(), type, k, 1};
}

bool Codes::Read(Threads& t, const CtaValues& from, const MatrixLayout& l) {
  const int64_t bits = values::BitsOf(type);
  const int64_t lines = transposed ? k : rows;
  const int64_t line = (transposed ? rows : k) * bits / 8;
  bytes.resize(static_cast<size_t>(lines * line));
  const std::vector<uint8_t>& shared = from.shared;
  for (int64_t r = 0; r < lines; ++r) {
    for (int64_t b = 0; b < line; b += kMatrixChunk) {
      const int64_t at =
          transposed ? ChunkOf(l, true, b, r) : ChunkOf(l, false, r, b);
      if (at < 0 || at + kMatrixChunk > static_cast<int64_t>(shared.size())) {
        t.Fail("the matrix leaves shared memory");
        return false;
      }
      std::memcpy(bytes.data() + r * line + b, shared.data() + at,
                  static_cast<size_t>(kMatrixChunk));
    }
  }
  return true;
}

void Multiply(const arith::MmaRule& rule, const Factor& a, const Factor& b,
              bool accumulate, DType d_type, int64_t n,
              std::vector<uint32_t>& d) {
  const arith::Prepared left = arith::PrepareA(
      rule, a.codes.View(), a.codes.rows, a.codes.k, a.scales, a.negate);
  const arith::Prepared right = arith::PrepareB(
      rule, b.codes.View(), b.codes.rows, b.codes.k, b.scales, b.negate);
  if (d_type == DType::kF32)
    return arith::Mma(left, right, reinterpret_cast<float*>(d.data()), n,
                      accumulate);
  if (d_type == DType::kS32)
    return arith::Mma(left, right, reinterpret_cast<int32_t*>(d.data()), n,
                      accumulate);
  std::vector<uint16_t> halves(d.begin(), d.end());
  arith::Mma(left, right, halves.data(), n, accumulate);
  d.assign(halves.begin(), halves.end());
}

}  // namespace tilesim::ptx
