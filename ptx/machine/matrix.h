// Which bytes of shared memory a matrix descriptor means.
#ifndef TILESIM_PTX_MACHINE_MATRIX_H_
#define TILESIM_PTX_MACHINE_MATRIX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sim/machine/byte_sets.h"

namespace tilesim::ptx {

// A matrix of rows (M or N) by K.
struct MatrixShape {
  int64_t rows = 0;
  int64_t k_bytes = 0;  // of a row
  int64_t element_bits = 16;
  bool mn_major = false;
  bool quarters = false;  // each warp of a warpgroup has 16 rows of 64
};

// Where such a matrix lies: bytes of shared memory of a CTA.
struct MatrixLayout {
  int64_t start = 0, leading = 0, stride = 0;
  int64_t swizzle = 0;  // bytes; 0: none
};

// PTX 9.7.15.5.1 and 9.7.16.4.1. nullopt: the descriptor is none, and *why says
// so.
std::optional<MatrixLayout> WgmmaLayout(uint64_t descriptor, std::string* why);
std::optional<MatrixLayout> Tcgen05Layout(uint64_t descriptor,
                                          std::string* why);

inline constexpr int64_t kMatrixChunk = 16;  // bytes that stay together

// Where the 16 bytes from byte `k` of row `row` on lie; of one that is
// MN-major, from byte `row` along M or N of row `k` of K on.
int64_t ChunkOf(const MatrixLayout& layout, bool mn_major, int64_t row,
                int64_t k);

// PTX 9.7.15.5.1. False: the descriptor is none, and *why says so.
bool WgmmaMatrix(uint64_t descriptor, const MatrixShape& shape,
                 machine::ByteSets::Parts* out, std::string* why);
// PTX 9.7.16.4.1.
bool Tcgen05Matrix(uint64_t descriptor, const MatrixShape& shape,
                   machine::ByteSets::Parts* out, std::string* why);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_MATRIX_H_
