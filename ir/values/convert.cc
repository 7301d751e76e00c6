#include "ir/values/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilesim::values {
namespace {

// A code without its padding: sign, exponent and mantissa side by side.
struct Fields {
  bool negative;
  int exponent;  // biased
  uint64_t mantissa;
};

Fields Split(const DTypeInfo& info, uint64_t code) {
  const uint64_t bits = code >> info.pad_bits();
  const int magnitude_bits = info.exponent_bits + info.mantissa_bits;
  Fields f;
  f.negative = info.sign_bits != 0 && ((bits >> magnitude_bits) & 1) != 0;
  f.exponent = static_cast<int>((bits >> info.mantissa_bits) &
                                ((1u << info.exponent_bits) - 1));
  f.mantissa = bits & ((uint64_t{1} << info.mantissa_bits) - 1);
  return f;
}

int MaxExponent(const DTypeInfo& info) { return (1 << info.exponent_bits) - 1; }

bool IsNan(const DTypeInfo& info, const Fields& f) {
  if (info.nan == NanPolicy::kNone || f.exponent != MaxExponent(info)) {
    return false;
  }
  if (info.nan == NanPolicy::kIeee) return f.mantissa != 0;
  return f.mantissa == (uint64_t{1} << info.mantissa_bits) - 1;
}

bool IsInf(const DTypeInfo& info, const Fields& f) {
  return info.has_inf && f.exponent == MaxExponent(info) && f.mantissa == 0;
}

// significand * 2^exponent, for exponents of normal doubles: all formats here
// have theirs among them. What ldexp says, in one multiplication.
double Scaled(uint64_t significand, int exponent) {
  return static_cast<double>(significand) *
         std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

double Magnitude(const DTypeInfo& info, const Fields& f) {
  const bool no_zero = info.type == DType::kUE8M0;
  if (f.exponent == 0 && !no_zero)
    return Scaled(f.mantissa, 1 - info.bias - info.mantissa_bits);
  const uint64_t significand = f.mantissa + (uint64_t{1} << info.mantissa_bits);
  return Scaled(significand, f.exponent - info.bias - info.mantissa_bits);
}

double DecodeFloat(const DTypeInfo& info, uint64_t code) {
  const Fields f = Split(info, code);
  if (IsNan(info, f)) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude = IsInf(info, f)
                               ? std::numeric_limits<double>::infinity()
                               : Magnitude(info, f);
  return f.negative ? -magnitude : magnitude;
}

double DecodeInteger(const DTypeInfo& info, uint64_t code) {
  const int unused = 64 - info.bits;
  if (info.is_signed()) {
    return static_cast<double>(static_cast<int64_t>(code << unused) >> unused);
  }
  return static_cast<double>((code << unused) >> unused);
}

// floor(significand / 2^shift), and one more if the rounding says so.
uint64_t ShiftRounded(uint64_t significand, int shift, bool negative,
                      Rounding rounding) {
  if (shift <= 0) return significand << -shift;
  const bool gone = shift > 63;  // significand has 53 bits
  const uint64_t kept = gone ? 0 : significand >> shift;
  const uint64_t rest = gone ? significand : significand - (kept << shift);
  if (rest == 0) return kept;
  // Beyond 63 the rest is below half a unit for certain.
  const uint64_t half = gone ? ~uint64_t{0} : uint64_t{1} << (shift - 1);
  switch (rounding) {
    case Rounding::kRz:
      return kept;
    case Rounding::kRp:
      return kept + (negative ? 0 : 1);
    case Rounding::kRna:
      return kept + (rest >= half ? 1 : 0);
    case Rounding::kRne:
      return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
  }
  return kept;
}

// The magnitude code of a finite non-zero number, the exponent range taken as
// unbounded above: whatever exceeds the format exceeds its largest code. The
// carry of a mantissa that rounds up to 2 runs into the exponent by itself.
uint64_t RoundToCode(const DTypeInfo& info, double value, Rounding rounding) {
  // |value| = significand * 2^(exponent - 53), significand of 53 bits.
  const uint64_t bits = std::bit_cast<uint64_t>(std::fabs(value));
  int exponent = static_cast<int>(bits >> 52) - 1022;
  uint64_t significand = (bits & ~(~uint64_t{0} << 52)) | uint64_t{1} << 52;
  if (bits >> 52 == 0) {  // subnormal
    const double fraction = std::frexp(std::fabs(value), &exponent);
    significand = static_cast<uint64_t>(std::ldexp(fraction, 53));
  }
  const int min_exponent = 1 - info.bias;
  const int unit_exponent = std::max(exponent - 1, min_exponent);
  const int shift = (unit_exponent - info.mantissa_bits) - (exponent - 53);
  const uint64_t units =
      ShiftRounded(significand, shift, std::signbit(value), rounding);
  const auto biased = static_cast<uint64_t>(unit_exponent - min_exponent);
  return (biased << info.mantissa_bits) + units;
}

// Magnitude codes without padding.
uint64_t MaxFiniteMagnitude(const DTypeInfo& info) {
  const uint64_t all =
      (uint64_t{1} << (info.exponent_bits + info.mantissa_bits)) - 1;
  if (info.nan == NanPolicy::kNone) return all;
  if (info.nan == NanPolicy::kAllOnes) return all - 1;
  return all - (uint64_t{1} << info.mantissa_bits);
}

uint64_t NanMagnitude(const DTypeInfo& info) {
  if (info.nan == NanPolicy::kNone) return MaxFiniteMagnitude(info);
  // Every NaN cvt gives has all bits set, padding included.
  return (uint64_t{1} << (info.exponent_bits + info.mantissa_bits)) - 1;
}

uint64_t OverflowMagnitude(const DTypeInfo& info, EncodeOptions options,
                           bool from_inf) {
  const uint64_t max = MaxFiniteMagnitude(info);
  const bool saturate =
      options.overflow == Overflow::kSatfinite ||
      (options.overflow == Overflow::kPtx && info.bits <= 8) ||
      info.nan == NanPolicy::kNone;
  if (saturate) return max;
  if (options.rounding == Rounding::kRz && !from_inf) return max;
  return max + 1;  // Inf, or the only NaN where there is no Inf
}

// ue8m0 has no zero, no sign and no subnormals; see cuda_fp8.hpp,
// __nv_cvt_bfloat16raw_to_e8m0.
uint64_t EncodeUE8M0(const DTypeInfo& info, double value,
                     EncodeOptions options) {
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return OverflowMagnitude(info, options, true);
  if (magnitude <= std::ldexp(1.0, -127)) return 0;
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);  // [0.5, 1)
  int code = exponent - 1 + info.bias;
  const bool tie_to_odd = fraction == 0.75 && (code & 1) == 0;
  if (options.rounding == Rounding::kRp) code += fraction > 0.5 ? 1 : 0;
  if (options.rounding == Rounding::kRna) code += fraction >= 0.75 ? 1 : 0;
  if (options.rounding == Rounding::kRne) {
    code += fraction >= 0.75 && !tie_to_odd ? 1 : 0;
  }
  const int max = static_cast<int>(MaxFiniteMagnitude(info));
  return code > max ? OverflowMagnitude(info, options, false)
                    : static_cast<uint64_t>(code);
}

uint64_t EncodeMagnitude(const DTypeInfo& info, double value,
                         EncodeOptions options) {
  if (info.type == DType::kUE8M0) return EncodeUE8M0(info, value, options);
  if (value == 0) return 0;
  if (std::isinf(value)) return OverflowMagnitude(info, options, true);
  const uint64_t code = RoundToCode(info, value, options.rounding);
  return code > MaxFiniteMagnitude(info)
             ? OverflowMagnitude(info, options, false)
             : code;
}

uint64_t EncodeFloat(const DTypeInfo& info, double value,
                     EncodeOptions options) {
  const int pad = info.pad_bits();
  if (std::isnan(value)) {
    return (NanMagnitude(info) << pad) | ((uint64_t{1} << pad) - 1);
  }
  const bool negative = std::signbit(value);
  if (info.type == DType::kUE4M3 && negative) return 0;
  uint64_t code = EncodeMagnitude(info, value, options);
  if (negative && info.is_signed()) {
    code |= uint64_t{1} << (info.exponent_bits + info.mantissa_bits);
  }
  return code << pad;
}

double RoundToInteger(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kRz:
      return std::trunc(value);
    case Rounding::kRp:
      return std::ceil(value);
    case Rounding::kRna:
      return std::round(value);
    case Rounding::kRne:
      return std::nearbyint(value);
  }
  return value;
}

uint64_t EncodeInteger(const DTypeInfo& info, double value, Rounding rounding) {
  const uint64_t top = uint64_t{1} << 63;
  if (std::isnan(value)) return info.bits == 64 ? top : 0;
  const uint64_t mask = ~uint64_t{0} >> (64 - info.bits);
  const uint64_t max_code = info.is_signed() ? mask >> 1 : mask;
  const double above = std::ldexp(1.0, info.mantissa_bits);  // max + 1
  const double rounded = RoundToInteger(value, rounding);
  if (rounded >= above) return max_code;
  if (!info.is_signed()) {
    return rounded <= 0 ? 0 : static_cast<uint64_t>(rounded);
  }
  if (rounded < -above) return max_code + 1;
  return static_cast<uint64_t>(static_cast<int64_t>(rounded)) & mask;
}

}  // namespace

double Decode(DType type, uint64_t code) {
  const DTypeInfo& info = Info(type);
  return info.is_float() ? DecodeFloat(info, code) : DecodeInteger(info, code);
}

uint64_t Encode(DType type, double value, EncodeOptions options) {
  // The FPU rounds so itself.
  if (type == DType::kF32 && options.rounding == Rounding::kRne &&
      options.overflow != Overflow::kSatfinite && value == value)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  const DTypeInfo& info = Info(type);
  return info.is_float() ? EncodeFloat(info, value, options)
                         : EncodeInteger(info, value, options.rounding);
}

uint64_t MaxFiniteCode(DType type) {
  const DTypeInfo& info = Info(type);
  if (info.is_float()) return MaxFiniteMagnitude(info) << info.pad_bits();
  return ~uint64_t{0} >> (64 - info.mantissa_bits);
}

double MaxFinite(DType type) { return Decode(type, MaxFiniteCode(type)); }

bool IsNan(DType type, uint64_t code) {
  const DTypeInfo& info = Info(type);
  return info.is_float() && IsNan(info, Split(info, code));
}

bool IsInf(DType type, uint64_t code) {
  const DTypeInfo& info = Info(type);
  return info.is_float() && IsInf(info, Split(info, code));
}

}  // namespace tilesim::values
