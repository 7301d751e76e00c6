// cvt.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ptx/scalar/form.h"
#include "ptx/scalar/real.h"

namespace tilesim::ptx::scalar {
namespace {

// .ftz of a conversion is about f32, on either side; to f16 it does nothing.
ScalarOp FlushedAs(const ScalarOp& op, Type type) {
  ScalarOp one = op;
  one.ftz = op.ftz && type == Type::kF32 && op.type != Type::kF16;
  return one;
}

double LoadFrom(const ScalarOp& op, Type type, uint64_t bits) {
  return Load(FlushedAs(op, type), type, bits);
}

uint64_t StoreTo(const ScalarOp& op, Type type, double value) {
  return Store(FlushedAs(op, type), type, value);
}

// Clamped to the type's range, from the value of `source`.
uint64_t Clamped(Type type, Type source, uint64_t bits) {
  const int width = BitsOf(type);
  const bool negative = IsSigned(source) && static_cast<int64_t>(bits) < 0;
  const uint64_t greatest = MaskOf(width - (IsSigned(type) ? 1 : 0));
  if (!negative) return std::min(bits, greatest);
  if (!IsSigned(type)) return 0;
  return std::max(static_cast<int64_t>(bits),
                  -static_cast<int64_t>(greatest) - 1);
}

// NaN becomes 0, but the top bit in conversions that have 64 bits on a side.
uint64_t IntegerOf(Type type, Type source, double integral) {
  const int bits = BitsOf(type);
  const uint64_t top = uint64_t{1} << (bits - 1);
  if (std::isnan(integral)) return bits == 64 || source == Type::kF64 ? top : 0;
  const double above = std::ldexp(1.0, IsSigned(type) ? bits - 1 : bits);
  const uint64_t greatest = MaskOf(IsSigned(type) ? bits - 1 : bits);
  if (integral >= above) return greatest;
  if (!IsSigned(type))
    return integral <= 0 ? 0 : static_cast<uint64_t>(integral);
  if (integral < -above) return top;
  return static_cast<uint64_t>(static_cast<int64_t>(integral));
}

}  // namespace

Words IntegerToInteger(const ScalarOp& op, const Words& in) {
  return {op.sat ? Clamped(op.type, op.source, in[0]) : in[0]};
}

Words IntegerToFloat(const ScalarOp& op, const Words& in) {
  const bool negative = IsSigned(op.source) && static_cast<int64_t>(in[0]) < 0;
  const double value = FromInteger(op, negative, negative ? 0 - in[0] : in[0]);
  return {StoreTo(op, op.type, value)};
}

Words FloatToInteger(const ScalarOp& op, const Words& in) {
  const double value = LoadFrom(op, op.source, in[0]);
  return {IntegerOf(op.type, op.source, RoundIntegral(op.rounding, value))};
}

// To f32 from f32 or its upper half, unless a modifier changes the value: bits
// are moved, those of a NaN as well.
Words Widened(const ScalarOp& op, const Words& in) {
  if (op.ftz || op.sat) return FloatToFloat(op, in);
  return {in[0] << (32 - BitsOf(op.source))};
}

// .rna works on the bits of a NaN as if it were a number; the other roundings
// give one NaN.
Words FloatToTf32(const ScalarOp& op, const Words& in) {
  constexpr uint64_t kIgnored = 0x1fff, kUnit = 0x2000;
  if (!std::isnan(Load(op, Type::kF32, in[0])))
    return {Store(op, Type::kTF32, Load(op, Type::kF32, in[0]))};
  if (op.rounding != RoundTo::kAway) return {0x7fffffff & ~kIgnored};
  return {(in[0] & ~kIgnored) - (op.satfinite ? kUnit : 0)};
}

Words FloatToFloat(const ScalarOp& op, const Words& in) {
  return {StoreTo(op, op.type, LoadFrom(op, op.source, in[0]))};
}

Words FloatToIntegral(const ScalarOp& op, const Words& in) {
  const double value = LoadFrom(op, op.source, in[0]);
  return {StoreTo(op, op.type, RoundIntegral(op.rounding, value))};
}

// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
Words PackFloats(const ScalarOp& op, const Words& in) {
  const Type element = InfoOf(op.type).element;
  const uint64_t high = StoreTo(op, element, LoadFrom(op, op.source, in[0]));
  const uint64_t low = StoreTo(op, element, LoadFrom(op, op.source, in[1]));
  return {high << BitsOf(element) | low};
}

Words ConvertLanes(const ScalarOp& op, const Words& in) {
  const Type to = InfoOf(op.type).element, from = InfoOf(op.source).element;
  uint64_t out = 0;
  for (int lane = 0; lane < 2; ++lane) {
    const uint64_t part =
        ZeroExtend(in[0] >> (lane * BitsOf(from)), BitsOf(from));
    out |= StoreTo(op, to, LoadFrom(op, from, part)) << (lane * BitsOf(to));
  }
  return {out};
}

// cvt.pack: a and b, clamped, below what c has in its lower half.
Words PackIntegers(const ScalarOp& op, const Words& in) {
  const int bits = BitsOf(op.type);
  auto part = [&](uint64_t word) {
    return ZeroExtend(Clamped(op.type, op.source, word), bits);
  };
  const uint64_t both = part(in[0]) << bits | part(in[1]);
  return {op.inputs == 3 ? in[2] << (2 * bits) | both : both};
}

}  // namespace tilesim::ptx::scalar
