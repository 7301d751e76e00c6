// The body of mma_kernel.cc, instantiated once a vector length. Everything is
// forced inline, so that it is compiled for the instruction set of the function
// it ends up in. The loops over [width] are left to the auto-vectoriser.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_IMPL_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_IMPL_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/machine/arith/mma_kernel.h"

#define TILESIM_INLINE inline __attribute__((always_inline))

namespace tilesim::arith::kernel {

constexpr int kChunk = 16;  // terms that an int32 can hold

constexpr int32_t FloatBits(int exponent) { return (exponent + 127) << 23; }

constexpr int32_t kExponentMask = 0x7f800000;
constexpr int32_t kHighest = FloatBits(100);  // E of products beyond is bad
constexpr int32_t kMinF16 = FloatBits(-14);

// Below this E, 2^(F-E) or the unit of the result leave the normal floats.
TILESIM_INLINE int32_t Lowest(int fraction_bits) {
  return FloatBits(fraction_bits - 125);
}

template <int kBytes>
struct Simd {
  typedef float F __attribute__((vector_size(kBytes)));
  typedef int32_t I __attribute__((vector_size(kBytes)));
  typedef uint32_t U __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / 4;

  static TILESIM_INLINE F Load(const float* from) {
    F v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  static TILESIM_INLINE I LoadInt(const int32_t* from) {
    I v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  template <typename V, typename T>
  static TILESIM_INLINE void Store(T* to, V v) {
    std::memcpy(to, &v, sizeof(v));
  }
};

// Bits of the strip between the passes.
struct Lanes {
  alignas(64) int32_t product_power[kStripWidth];  // max, unscaled
  alignas(64) int32_t largest[kStripWidth];        // bits of 2^E
  alignas(64) float unit[kStripWidth];             // 2^(F-E), times the scale
  alignas(64) int32_t c_units[kStripWidth];        // C over 2^(E-F), cut
  alignas(64) int32_t sum[2][kStripWidth];         // sixteen terms each
  alignas(64) double total[kStripWidth];           // groups only, without C
};

// Largest product of powers: non-negative floats order as their bits do.
template <int kBytes, int kVecs>
TILESIM_INLINE void MaxPowers(const StripTask& t, int n, int32_t* out) {
  using S = Simd<kBytes>;
  typename S::I best[kVecs] = {};
  for (int k = 0; k < t.k; ++k) {
    const float* b = t.b_power + k * t.b_step + n;
    const typename S::F a = t.a_power[k] - typename S::F{};
    for (int v = 0; v < kVecs; ++v) {
      const auto p = (typename S::I)(a * S::Load(b + v * S::kLanes));
      best[v] = best[v] > p ? best[v] : p;
    }
  }
  for (int v = 0; v < kVecs; ++v) {
    S::Store(out + n + v * S::kLanes, best[v]);
  }
}

// Unsigned sums: the junk of bad columns may wrap.
template <int kBytes, int kVecs>
TILESIM_INLINE void SumTerms(const StripTask& t, int n, int first, int last,
                             const float* unit, int32_t* out) {
  using S = Simd<kBytes>;
  typename S::U sum[kVecs] = {};
  typename S::F units[kVecs];
  for (int v = 0; v < kVecs; ++v) units[v] = S::Load(unit + n + v * S::kLanes);
  for (int k = first; k < last; ++k) {
    const float* b = t.b_value + k * t.b_step + n;
    const typename S::F a = t.a_value[k] - typename S::F{};
    for (int v = 0; v < kVecs; ++v) {
      const typename S::F term = a * S::Load(b + v * S::kLanes) * units[v];
      sum[v] += (typename S::U) __builtin_convertvector(term, typename S::I);
    }
  }
  for (int v = 0; v < kVecs; ++v) S::Store(out + n + v * S::kLanes, sum[v]);
}

template <int kBytes>
TILESIM_INLINE void AllMaxPowers(const StripTask& t, int32_t* out) {
  constexpr int kLanes = Simd<kBytes>::kLanes;
  int n = 0;
  for (; n + 4 * kLanes <= t.width; n += 4 * kLanes) {
    MaxPowers<kBytes, 4>(t, n, out);
  }
  for (; n < t.width; n += kLanes) MaxPowers<kBytes, 1>(t, n, out);
}

template <int kBytes>
TILESIM_INLINE void AllTerms(const StripTask& t, int first, int last,
                             const float* unit, int32_t* out) {
  constexpr int kLanes = Simd<kBytes>::kLanes;
  int n = 0;
  for (; n + 4 * kLanes <= t.width; n += 4 * kLanes) {
    SumTerms<kBytes, 4>(t, n, first, last, unit, out);
  }
  for (; n < t.width; n += kLanes) {
    SumTerms<kBytes, 1>(t, n, first, last, unit, out);
  }
}

TILESIM_INLINE int32_t Max(int32_t a, int32_t b) { return a > b ? a : b; }

// The bits of C's power: subnormal f32 count as 0, they lie below every unit
// that this kernel accepts.
template <bool kF16>
TILESIM_INLINE int32_t PowerOfC(float c) {
  const int32_t power = std::bit_cast<int32_t>(c) & kExponentMask;
  if (!kF16) return power;
  return c != 0 ? Max(power, kMinF16) : 0;
}

// What Judge needs, out of memory so that its loops have no loads to repeat.
struct Limits {
  int32_t lowest;       // of E
  int32_t unit_bits;    // of 2^F
  int32_t zero_is_bad;  // -1 if zero products may hide underflow, else 0
};

TILESIM_INLINE Limits LimitsOf(const StripTask& t) {
  const int f = t.rule->fraction_bits;
  return {Lowest(f), FloatBits(f), t.zero_exact ? 0 : -1};
}

TILESIM_INLINE int32_t Flag(bool yes) { return yes ? -1 : 0; }

struct Verdict {
  int32_t largest;  // bits of 2^E
  float unit;       // 2^(F-E)
  int32_t bad;
};

// From the largest product of powers, without and with its scale, as bits.
template <bool kF16>
TILESIM_INLINE Verdict Judge(const Limits& limits, int32_t power,
                             int32_t scaled, float c) {
  const int32_t c_power = PowerOfC<kF16>(c);
  const int32_t largest = Max(scaled, c_power);
  const int32_t out = Flag(largest < limits.lowest) | Flag(scaled > kHighest);
  const int32_t bad =
      (power != 0 ? out : limits.zero_is_bad) | Flag(c_power == kExponentMask);
  const int32_t clamped = Max(largest, limits.lowest);
  const int32_t unit = limits.unit_bits - (clamped - FloatBits(0));
  return {largest, std::bit_cast<float>(unit), bad};
}

// v cut toward zero to `kept` fraction bits; +0 stays +0.
TILESIM_INLINE double Cut(double v, int64_t mask) {
  return std::bit_cast<double>(std::bit_cast<int64_t>(v) & mask);
}

// v to the nearest f16, ties to even: adding 1.5 * 2^42 of its ulps' unit
// leaves no room for more fraction bits. The sum of -x and x is +0.
TILESIM_INLINE double NearestF16(double v) {
  constexpr int64_t kMin = int64_t{1023 - 14} << 52;
  constexpr int64_t kMax = int64_t{1023 + 100} << 52;  // junk of bad columns
  const int64_t exponent = std::bit_cast<int64_t>(v) & (int64_t{0x7ff} << 52);
  const int64_t above = exponent > kMin ? exponent : kMin;
  const int64_t base = above < kMax ? above : kMax;
  const double magic =
      std::bit_cast<double>((base + (int64_t{42} << 52)) | (int64_t{1} << 51));
  const double rounded = (v + magic) - magic;
  const double inf = __builtin_inf();
  const double high = rounded > 65504 ? inf : rounded;
  return high < -65504 ? -inf : high;
}

// C alone, when every product is zero. Adding +0 turns -0 into +0.
template <bool kF16>
TILESIM_INLINE float OnlyC(float c, int32_t mask) {
  return (kF16 ? c : std::bit_cast<float>(std::bit_cast<int32_t>(c) & mask)) +
         0.0f;
}

struct OutputMasks {
  int64_t of_double;
  int32_t of_c;
};

TILESIM_INLINE OutputMasks MasksOf(Output output) {
  const int kept = output == Output::kF32Rz13 ? 13 : 23;
  return {~int64_t{0} << (52 - kept), static_cast<int32_t>(~0u << (23 - kept))};
}

// Rounds total (in units of 2^(E-F)) once.
template <bool kF16>
TILESIM_INLINE void Finish(const StripTask& t, const Lanes& lanes) {
  const OutputMasks masks = MasksOf(t.rule->output);
  const double down =
      std::bit_cast<double>(int64_t{1023 - t.rule->fraction_bits} << 52);
  const float* __restrict c = t.c;
  float* __restrict d = t.d;
  const int width = t.width;
  for (int n = 0; n < width; ++n) {
    const double scale =
        static_cast<double>(std::bit_cast<float>(lanes.largest[n])) * down;
    const double total = lanes.total[n];
    const double v =
        kF16 ? NearestF16(total * scale) : Cut(total, masks.of_double) * scale;
    const auto rounded = static_cast<float>(v + 0.0);  // no -0
    const float alone = OnlyC<kF16>(c[n], masks.of_c);
    d[n] = lanes.product_power[n] == 0 ? alone : rounded;
  }
}

template <bool kF16, bool kScaled>
TILESIM_INLINE int32_t JudgeAll(const StripTask& t, Lanes& lanes) {
  const Limits limits = LimitsOf(t);
  const float a_scale = kScaled ? t.a_scale_power[0] : 1.0f;
  const float* __restrict b_scale = kScaled ? t.b_scale_power : t.c;
  const float* __restrict c = t.c;
  const int32_t* __restrict special = t.b_special;
  int32_t* __restrict bad = t.bad;
  const int width = t.width;
  int32_t any = 0;
  for (int n = 0; n < width; ++n) {
    const float scale = kScaled ? a_scale * b_scale[n] : 1.0f;
    const int32_t power = lanes.product_power[n];
    const auto scaled =
        std::bit_cast<int32_t>(std::bit_cast<float>(power) * scale);
    const Verdict v = Judge<kF16>(limits, power, scaled, c[n]);
    const int32_t flag = v.bad | special[n];
    // C cut to units; 0 where it stands alone or is of no use.
    const bool without = (power == 0) | (flag != 0);
    const float with = without ? 0.0f : c[n];
    lanes.largest[n] = v.largest;
    lanes.unit[n] = v.unit * scale;
    lanes.c_units[n] = static_cast<int32_t>(with * v.unit);
    bad[n] = flag;
    any |= flag;
  }
  return any;
}

template <int kBytes, bool kF16, bool kScaled>
TILESIM_INLINE bool Fused(const StripTask& t) {
  Lanes lanes;
  AllMaxPowers<kBytes>(t, lanes.product_power);
  const int32_t any = JudgeAll<kF16, kScaled>(t, lanes);
  const int half = t.k < kChunk ? t.k : kChunk;
  AllTerms<kBytes>(t, 0, half, lanes.unit, lanes.sum[0]);
  AllTerms<kBytes>(t, half, t.k, lanes.unit, lanes.sum[1]);
  const int width = t.width;
  for (int n = 0; n < width; ++n) {
    lanes.total[n] = static_cast<double>(lanes.sum[0][n]) +
                     static_cast<double>(lanes.sum[1][n]) +
                     static_cast<double>(lanes.c_units[n]);
  }
  Finish<kF16>(t, lanes);
  return any != 0;
}

}  // namespace tilesim::arith::kernel

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_IMPL_H_
