// Which bytes of shared memory a matrix descriptor means.
#ifndef TILESIM_PTX_MACHINE_MATRIX_H_
#define TILESIM_PTX_MACHINE_MATRIX_H_

#include <cstdint>
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

// PTX 9.7.15.5.1. False: the descriptor is none, and *why says so.
bool WgmmaMatrix(uint64_t descriptor, const MatrixShape& shape,
                 machine::ByteSets::Parts* out, std::string* why);
// PTX 9.7.16.4.1.
bool Tcgen05Matrix(uint64_t descriptor, const MatrixShape& shape,
                   machine::ByteSets::Parts* out, std::string* why);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_MATRIX_H_
