// Random operands for the tests of the tensor-core rule, in the classes that
// were run on the H200 (docs/h200-readings.md 1.3).
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_TEST_INPUTS_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_TEST_INPUTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/machine/arith/mma_rule.h"

namespace tilesim::arith {

enum class InputClass : uint8_t {
  kNormalNoC,       // normal, C = 0
  kNormal,          // normal, C normal
  kNormalLargeC,    // normal, C * 2^(0..40)
  kBits,            // any finite codes, C too
  kBitsNoC,         // any finite codes, C = 0
  kWindows,         // exponents in a window, C within 35 of the products
  kSubnormal,       // subnormal-heavy A, B and C
  kCancellation,    // half of K mirrored with B negated
  kSpecials,        // Inf and NaN mixed in
  kWindowsAbsentC,  // windows, C present but scale-d false
  kOverflow,        // large
  kFewProducts,     // one to three non-zero products
  kZeroProducts,    // all products zero, C = +-0 or subnormal
  kTiny,            // products at 2^-170 .. 2^-118, C tiny
};
inline constexpr int kInputClasses = 14;

std::string Name(InputClass input);

// m rows of A, n of B, k codes each, one a uint32; scales likewise; C is m*n
// codes of D's type.
struct Inputs {
  DType a_type, b_type;
  int m, n, k;
  std::vector<uint32_t> a, b, a_scales, b_scales, c;
  bool accumulate = true;
};

Inputs MakeInputs(const MmaRule& rule, DType a_type, DType b_type,
                  InputClass input, int m, int n, int instructions,
                  uint64_t seed);

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_TEST_INPUTS_H_
