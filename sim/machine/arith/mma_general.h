// One fused sum of one element for operands of any range, with Inf and NaN:
// what the kernel of mma_kernel.h leaves out. Scalar 64-bit integers.
//
// Units: first and count in prepared elements along K. C and the result are
// numbers; f16 results are numbers of that format, NaN is 0x7fffffff.
// Errors: none.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_GENERAL_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_GENERAL_H_

#include <cstdint>

#include "sim/machine/arith/mma.h"

namespace tilesim::arith {

float GeneralElement(const Prepared& a, const Prepared& b, int64_t row,
                     int64_t column, int64_t first, int64_t count, float c);

}  // namespace tilesim::arith

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_GENERAL_H_
