// Floating-point values of PTX as doubles, and back.
//
// Sums, products and quotients of formats up to f32 are computed in double
// rounded to odd: truncated, the last bit set if anything was lost. A double
// has more than twice the bits of an f32, so rounding that once more, in any
// direction, is rounding the exact result (Boldo, Melquiond: Emulation of
// correctly rounded fma). f64 itself is rounded to nearest.
#ifndef TILESIM_PTX_SCALAR_REAL_H_
#define TILESIM_PTX_SCALAR_REAL_H_

#include <cstdint>

#include "ptx/scalar/scalar.h"

namespace tilesim::ptx::scalar {

bool IsSubnormal(Type type, uint64_t bits);
bool SignOf(Type type, uint64_t bits);

// The value of the bits; .ftz takes subnormals to zero.
double Load(const ScalarOp& op, Type type, uint64_t bits);

// The bits of a value: .sat, .relu, .ftz, rounding, .satfinite. What is below
// the normal numbers before it is rounded is flushed. A NaN becomes the one
// that the hardware gives; of f64 and what is made of it, some NaN.
uint64_t Store(const ScalarOp& op, Type type, double value);

// Sums and so on as Store wants them for that type. `op` tells the direction of
// rounding, which the sign of a zero sum depends on.
double Sum(const ScalarOp& op, double x, double y);
double Product(const ScalarOp& op, double x, double y);
double MultiplyAdd(const ScalarOp& op, double x, double y, double z);
double Quotient(const ScalarOp& op, double x, double y);
double Root(const ScalarOp& op, double x);

// An integer of 64 bits and a sign; odd unless the type is f64.
double FromInteger(const ScalarOp& op, bool negative, uint64_t magnitude);

// To an integral value.
double RoundIntegral(RoundTo rounding, double value);

}  // namespace tilesim::ptx::scalar

#endif  // TILESIM_PTX_SCALAR_REAL_H_
