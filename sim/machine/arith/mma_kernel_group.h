// The fp4 kinds' part of mma_kernel.cc: groups of products are summed exactly
// (in quarters, at most 16 * 36 * 4), multiplied by the significands of the two
// scales (four bits each: 20 bits in all, exact), and that is a term.
#ifndef TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_GROUP_H_
#define TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_GROUP_H_

#include "sim/machine/arith/mma_kernel_impl.h"

namespace tilesim::arith::kernel {

constexpr int kMaxGroups = 4;

struct Groups {
  alignas(64) float term[kMaxGroups][kStripWidth];   // without its exponent
  alignas(64) float power[kMaxGroups][kStripWidth];  // 2^exponent; 0 if zero
  alignas(64) float whole[kStripWidth];              // a term in units, cut
};

template <int kBytes, int kVecs>
TILESIM_INLINE void GroupSums(const StripTask& t, int n, int first,
                              float* out) {
  using S = Simd<kBytes>;
  typename S::F sum[kVecs] = {};
  const int last = first + t.rule->group;
  for (int k = first; k < last; ++k) {
    const float* b = t.b_value + k * t.b_step + n;
    for (int v = 0; v < kVecs; ++v) {
      sum[v] += t.a_value[k] * S::Load(b + v * S::kLanes);
    }
  }
  for (int v = 0; v < kVecs; ++v) S::Store(out + n + v * S::kLanes, sum[v]);
}

template <int kBytes>
TILESIM_INLINE void AllGroupSums(const StripTask& t, int first, float* out) {
  constexpr int kLanes = Simd<kBytes>::kLanes;
  int n = 0;
  for (; n + 4 * kLanes <= t.width; n += 4 * kLanes) {
    GroupSums<kBytes, 4>(t, n, first, out);
  }
  for (; n < t.width; n += kLanes) GroupSums<kBytes, 1>(t, n, first, out);
}

// Terms and powers of group g, and the maxima so far. product_power becomes
// not zero where a term is not.
TILESIM_INLINE void ScaleGroup(const StripTask& t, int g, Groups& groups,
                               Lanes& lanes) {
  const int block = g * t.rule->group / t.rule->scale_block;
  const float* __restrict b_value = t.b_scale_value + block * t.b_scale_step;
  const float* __restrict b_power = t.b_scale_power + block * t.b_scale_step;
  const float a_value = t.a_scale_value[block];
  const float a_power = t.a_scale_power[block];
  const int width = t.width;
  for (int n = 0; n < width; ++n) {
    const float term = groups.term[g][n] * (a_value * b_value[n]);
    const float power = term != 0 ? a_power * b_power[n] : 0.0f;
    groups.term[g][n] = term;
    groups.power[g][n] = power;
    lanes.product_power[n] |= std::bit_cast<int32_t>(term) & 0x7fffffff;
    lanes.largest[n] = Max(lanes.largest[n], std::bit_cast<int32_t>(power));
  }
}

// Cut toward zero; floats from 2^24 up are whole already. By masks: with a
// branch the loops around it would not become vectors.
TILESIM_INLINE float Whole(float v) {
  const auto bits = std::bit_cast<int32_t>(v);
  const int32_t small = Flag((bits & 0x7fffffff) < FloatBits(30));
  const auto cut = static_cast<float>(
      static_cast<int32_t>(std::bit_cast<float>(bits & small)));
  return std::bit_cast<float>((std::bit_cast<int32_t>(cut) & small) |
                              (bits & ~small));
}

// As JudgeAll, with C as the first term of the total.
TILESIM_INLINE int32_t JudgeGroups(const StripTask& t, Groups& groups,
                                   Lanes& lanes) {
  const Limits limits = LimitsOf(t);
  const float* __restrict c = t.c;
  const int32_t* __restrict special = t.b_special;
  int32_t* __restrict bad = t.bad;
  const int width = t.width;
  int32_t any = 0;
  for (int n = 0; n < width; ++n) {
    const int32_t power = lanes.product_power[n];
    const Verdict v = Judge<false>(limits, power, lanes.largest[n], c[n]);
    const float alone = power == 0 ? 0.0f : c[n];
    lanes.largest[n] = v.largest;
    lanes.unit[n] = v.unit;
    groups.whole[n] = Whole(alone * v.unit);
    bad[n] = v.bad | special[n];
    any |= bad[n];
  }
  for (int n = 0; n < width; ++n) lanes.total[n] = groups.whole[n];
  return any;
}

TILESIM_INLINE void AddGroup(const StripTask& t, int g, Groups& groups,
                             Lanes& lanes) {
  const int width = t.width;
  for (int n = 0; n < width; ++n) {
    const float unit = groups.power[g][n] * lanes.unit[n];
    groups.whole[n] = Whole(groups.term[g][n] * unit);
  }
  for (int n = 0; n < width; ++n) lanes.total[n] += groups.whole[n];
}

template <int kBytes>
TILESIM_INLINE bool Grouped(const StripTask& t) {
  Lanes lanes;
  Groups groups;
  const int count = t.k / t.rule->group;
  for (int n = 0; n < t.width; ++n) {
    lanes.product_power[n] = lanes.largest[n] = 0;
  }
  for (int g = 0; g < count; ++g) {
    AllGroupSums<kBytes>(t, g * t.rule->group, groups.term[g]);
    ScaleGroup(t, g, groups, lanes);
  }
  const int32_t any = JudgeGroups(t, groups, lanes);
  for (int g = 0; g < count; ++g) AddGroup(t, g, groups, lanes);
  Finish<false>(t, lanes);
  return any != 0;
}

}  // namespace tilesim::arith::kernel

#endif  // TILESIM_SIM_MACHINE_ARITH_MMA_KERNEL_GROUP_H_
