#include "ptx/scalar/real.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/values/convert.h"

namespace tilesim::ptx::scalar {
namespace {

using values::DType;

// What a double cannot be read as directly.
DType FormatOf(Type type) {
  switch (type) {
    case Type::kF16:
      return DType::kF16;
    case Type::kBF16:
      return DType::kBF16;
    case Type::kTF32:
      return DType::kTF32;
    case Type::kE4M3:
      return DType::kE4M3;
    case Type::kE5M2:
      return DType::kE5M2;
    case Type::kE2M3:
      return DType::kE2M3;
    case Type::kE3M2:
      return DType::kE3M2;
    case Type::kE2M1:
      return DType::kE2M1;
    case Type::kUE8M0:
      return DType::kUE8M0;
    default:
      return DType::kF32;
  }
}

constexpr uint64_t kNanF64 = 0xfff8000000000000;

double Decode(Type type, uint64_t bits) {
  if (type == Type::kF64) return std::bit_cast<double>(bits);
  if (type == Type::kF32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return values::Decode(FormatOf(type), bits);
}

uint64_t SignBit(Type type) { return uint64_t{1} << (BitsOf(type) - 1); }

uint64_t EncodeNarrow(const ScalarOp& op, Type type, double value) {
  values::EncodeOptions options;
  if (op.satfinite) options.overflow = values::Overflow::kSatfinite;
  const bool toward_zero =
      op.rounding == RoundTo::kZero ||
      (op.rounding == RoundTo::kDown && !std::signbit(value)) ||
      (op.rounding == RoundTo::kUp && std::signbit(value));
  if (op.rounding == RoundTo::kNearest)
    options.rounding = values::Rounding::kRne;
  else if (op.rounding == RoundTo::kAway)
    options.rounding = values::Rounding::kRna;
  else
    options.rounding =
        toward_zero ? values::Rounding::kRz : values::Rounding::kRp;
  // Away from zero is upward for the magnitude.
  const bool mirrored = op.rounding == RoundTo::kDown && std::signbit(value) &&
                        !std::isnan(value);
  if (!mirrored) return values::Encode(FormatOf(type), value, options);
  return values::Encode(FormatOf(type), -value, options) | SignBit(type);
}

uint64_t Encode(const ScalarOp& op, Type type, double value) {
  if (type == Type::kF64)
    return std::isnan(value) ? kNanF64 : std::bit_cast<uint64_t>(value);
  const bool plain = type == Type::kF32 && op.rounding == RoundTo::kNearest &&
                     !op.satfinite && !std::isnan(value);
  if (plain) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return EncodeNarrow(op, type, value);
}

bool IsBelowNormal(Type type, double value) {
  const double least = type == Type::kF64   ? 0x1p-1022
                       : type == Type::kF16 ? 0x1p-14
                                            : 0x1p-126;
  return value != 0 && std::fabs(value) < least;
}

// `error` is what was lost of the exact value: its sign counts. The truncated
// magnitude with its last bit set.
double ToOdd(double rounded, double error) {
  if (error == 0 || !std::isfinite(rounded)) return rounded;
  auto bits = std::bit_cast<uint64_t>(rounded);
  if ((error < 0) != std::signbit(rounded)) --bits;
  return std::bit_cast<double>(bits | 1);
}

}  // namespace

bool IsSubnormal(Type type, uint64_t bits) {
  return IsBelowNormal(type, Decode(type, bits));
}

bool SignOf(Type type, uint64_t bits) { return (bits & SignBit(type)) != 0; }

double Load(const ScalarOp& op, Type type, uint64_t bits) {
  const double value = Decode(type, bits);
  if (op.ftz && IsSubnormal(type, bits)) return std::copysign(0.0, value);
  return value;
}

uint64_t Store(const ScalarOp& op, Type type, double value) {
  if (op.sat) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
  if (op.sat && value == 0) value = 0;  // no -0
  if (op.relu && !std::isnan(value) && std::signbit(value)) value = 0;
  if (op.ftz && IsBelowNormal(type, value)) value = std::copysign(0.0, value);
  return Encode(op, type, value);
}

double Sum(const ScalarOp& op, double x, double y) {
  const double sum = x + y;
  if (op.type == Type::kF64 || !std::isfinite(sum)) return sum;
  // x - x is +0, but -0 where rounding is downward.
  const bool cancelled = sum == 0 && std::signbit(x) != std::signbit(y);
  if (cancelled) return op.rounding == RoundTo::kDown ? -0.0 : 0.0;
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);  // exact (Knuth)
  return ToOdd(sum, error);
}

// Exact for formats up to f32.
double Product(const ScalarOp&, double x, double y) { return x * y; }

double MultiplyAdd(const ScalarOp& op, double x, double y, double z) {
  if (op.type == Type::kF64) return std::fma(x, y, z);
  return Sum(op, x * y, z);
}

double Quotient(const ScalarOp& op, double x, double y) {
  const double quotient = x / y;
  if (op.type == Type::kF64 || !std::isfinite(quotient) || !std::isfinite(y))
    return quotient;
  const double rest = std::fma(-quotient, y, x);  // exact
  return ToOdd(quotient, y < 0 ? -rest : rest);
}

double Root(const ScalarOp& op, double x) {
  const double root = std::sqrt(x);
  if (op.type == Type::kF64 || !std::isfinite(root)) return root;
  return ToOdd(root, std::fma(-root, root, x));
}

double FromInteger(const ScalarOp& op, bool negative, uint64_t magnitude) {
  const auto nearest = static_cast<double>(magnitude);
  double value = nearest;
  if (op.type != Type::kF64 && magnitude >> 53 != 0) {
    const int shift = 11 - std::countl_zero(magnitude);
    const uint64_t kept = magnitude >> shift;
    const bool lost = kept << shift != magnitude;
    value = std::ldexp(static_cast<double>(kept | (lost ? 1 : 0)), shift);
  }
  return negative ? -value : value;
}

double RoundIntegral(RoundTo rounding, double value) {
  switch (rounding) {
    case RoundTo::kNearest:
      return std::nearbyint(value);
    case RoundTo::kZero:
      return std::trunc(value);
    case RoundTo::kDown:
      return std::floor(value);
    case RoundTo::kUp:
      return std::ceil(value);
    case RoundTo::kAway:
      return std::round(value);
  }
  return value;
}

}  // namespace tilesim::ptx::scalar
