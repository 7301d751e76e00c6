// Operands of tensor cores as arrays of codes, and their product.
#ifndef TILESIM_PTX_VALUES_PRODUCTS_H_
#define TILESIM_PTX_VALUES_PRODUCTS_H_

#include <cstdint>
#include <vector>

#include "ptx/machine/matrix.h"
#include "ptx/values/threads.h"
#include "sim/machine/arith/mma.h"

namespace tilesim::ptx {

// Rows of K codes, or K of rows when transposed. Formats of 4 bits are packed,
// two a byte, and are not transposed.
struct Codes {
  values::DType type = values::DType::kF16;
  int64_t rows = 0, k = 0;
  bool transposed = false;
  std::vector<uint8_t> bytes = {};

  arith::CodeView View() const;
  // Of a format of whole bytes, not transposed.
  uint8_t* At(int64_t row, int64_t k_index) {
    return bytes.data() + (row * k + k_index) * values::WordBytes(type);
  }
  // From shared memory of a CTA, as a descriptor has it. False: it leaves it,
  // which was told.
  bool Read(Threads& t, const CtaValues& from, const MatrixLayout& layout);
};

struct Factor {
  const Codes& codes;
  bool negate = false;
  arith::ScaleView scales = {};
};

// d, row-major with n columns, one code a word: d = a * b, added to d where
// `accumulate` says so.
void Multiply(const arith::MmaRule& rule, const Factor& a, const Factor& b,
              bool accumulate, values::DType d_type, int64_t n,
              std::vector<uint32_t>& d);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_PRODUCTS_H_
