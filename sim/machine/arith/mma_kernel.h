// The inner loop of mma.h: one fused sum for one row of A and up to 64 columns
// of B, in single-precision SIMD.
//
// Why floats do: a product a*b of two operands has at most 22 significant bits
// and is exact. With E known as the float 2^E (the largest product of powers),
// a*b * 2^(F-E) is exact too, and the conversion to int32 cuts it toward zero:
// that is the term in units of 2^(E-F). A term is below 4 * 2^F, and sixteen
// of them are below 2^31 for every operand type (the largest, f16: 16 * 2047^2
// * 2^5 = 2145387008), so sums of up to sixteen are exact; the rest is done in
// double. In fp4 groups the same is done with floats that stay below 2^48.
//
// That holds where 2^E and the products are normal floats and nothing is Inf
// or NaN. Columns where it might not are flagged in `bad`; their d is junk and
// the caller computes them with mma_general.h.
//
// Units: exponents of two; width and k in elements. Errors: none.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_H_

#include <cstdint>

#include "sim/machine/arith/mma_rule.h"

namespace tilesim::arith {

inline constexpr int kStripWidth = 64;  // columns at most
inline constexpr int kStripAlign = 16;  // width is a multiple of this
inline constexpr int kMaxStripK = 64;

struct StripTask {
  const MmaRule* rule;
  int k;                 // products; at most 32 unless the rule has groups
  int width;             // columns
  const float* a_value;  // [k]
  const float* a_power;
  const float* b_value;  // [k][b_step]
  const float* b_power;
  int64_t b_step;
  const int32_t* b_special;  // [width], -1 or 0
  // Scaled rules: [blocks] and [blocks][b_scale_step].
  const float* a_scale_value;
  const float* a_scale_power;
  const float* b_scale_value;
  const float* b_scale_power;
  int64_t b_scale_step;
  // A zero product of powers proves that all products are zero.
  bool zero_exact;
  const float* c;  // [width]; f16 as its number
  float* d;        // [width]; likewise
  int32_t* bad;    // [width], -1 or 0
};

// True if any column is bad.
bool FusedStrip(const StripTask& task);

struct IntegerTask {
  int64_t k;
  int width;
  const int32_t* a;  // [k]
  const int32_t* b;  // [k][b_step]
  int64_t b_step;
  int32_t* d;  // [width], added to, modulo 2^32
};

void IntegerStrip(const IntegerTask& task);

const char* KernelInstructionSet();

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_H_
