#include "sim/machine/arith/mma.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/values/check.h"
#include "ir/values/convert.h"
#include "sim/machine/arith/mma_general.h"
#include "sim/machine/arith/mma_kernel.h"

namespace tilesim::arith {
namespace {

using values::Check;

// Instructions after which the next row is taken up: keeps B's strip in cache.
constexpr int64_t kInstructionsAtOnce = 8;

// Columns first..first+width-1 of row `row`; `live` of them are real, the rest
// is B's padding.
struct Strip {
  int64_t row;
  int64_t first;
  int width;
  int live;
};

struct Row {
  alignas(64) float at[kStripWidth];
};

// One Mma call on floats: C and D are numbers, whatever their type.
class FloatMma {
 public:
  FloatMma(const Prepared& a, const Prepared& b)
      : a_(a), b_(b), zero_exact_(a.min_exponent + b.min_exponent >= -149) {}

  // Products first..first+rule.k-1 of every column of the strip.
  void Instruction(const Strip& strip, int64_t first, Row& c) const {
    const int k = a_.rule.k;
    Row d;
    if (a_.rule.steps == Steps::kFused) {
      Fused(strip, first, k, c, d);
      c = d;
      return;
    }
    const Row zero{};
    Row half;
    Fused(strip, first, k / 2, zero, half);
    Fused(strip, first + k / 2, k / 2, half, d);
    Add(d, c);
  }

 private:
  // c = d + c to nearest even, as FADD does it.
  static void Add(const Row& d, Row& c) {
    for (int n = 0; n < kStripWidth; ++n) {
      const float sum = d.at[n] + c.at[n];
      c.at[n] = sum == sum ? sum : std::bit_cast<float>(0x7fffffff);
    }
  }

  void Fused(const Strip& strip, int64_t first, int count, const Row& c,
             Row& d) const {
    alignas(64) int32_t bad[kStripWidth];
    const bool all = a_.special[strip.row] != 0;
    if (!all && !FusedStrip(Task(strip, first, count, c, d, bad))) return;
    for (int n = 0; n < strip.live; ++n) {
      if (!all && bad[n] == 0) continue;
      d.at[n] = GeneralElement(a_, b_, strip.row, strip.first + n, first, count,
                               c.at[n]);
    }
  }

  StripTask Task(const Strip& strip, int64_t first, int count, const Row& c,
                 Row& d, int32_t* bad) const {
    StripTask t{};
    t.rule = &a_.rule;
    t.k = count;
    t.width = strip.width;
    const int64_t row = strip.row * a_.row_step + first;
    const int64_t column = first * b_.k_step + strip.first;
    t.a_value = a_.value.data() + row;
    t.a_power = a_.power.data() + row;
    t.b_value = b_.value.data() + column;
    t.b_power = b_.power.data() + column;
    t.b_step = b_.k_step;
    t.b_special = b_.special.data() + strip.first;
    t.zero_exact = zero_exact_;
    t.c = c.at;
    t.d = d.at;
    t.bad = bad;
    if (a_.rule.is_scaled()) SetScales(strip, first, t);
    return t;
  }

  void SetScales(const Strip& strip, int64_t first, StripTask& t) const {
    const int64_t block = first / a_.rule.scale_block;
    const int64_t row = strip.row * a_.scale_row_step + block;
    const int64_t column = block * b_.scale_block_step + strip.first;
    t.a_scale_value = a_.scale_value.data() + row;
    t.a_scale_power = a_.scale_power.data() + row;
    t.b_scale_value = b_.scale_value.data() + column;
    t.b_scale_power = b_.scale_power.data() + column;
    t.b_scale_step = b_.scale_block_step;
  }

  const Prepared& a_;
  const Prepared& b_;
  bool zero_exact_;
};

void LoadRow(const float* from, int count, Row& to) {
  std::memcpy(to.at, from, count * sizeof(float));
}
void LoadRow(const uint16_t* from, int count, Row& to) {
  values::F16ToF32(from, to.at, count);
}
void StoreRow(const Row& from, int count, float* to) {
  std::memcpy(to, from.at, count * sizeof(float));
}
void StoreRow(const Row& from, int count, uint16_t* to) {
  values::F32ToF16(from.at, to, count);
}

void CheckPair(const Prepared& a, const Prepared& b, DType d) {
  Check(a.side == Prepared::Side::kA && b.side == Prepared::Side::kB,
        "mma: operands swapped");
  Check(a.k == b.k && a.rule.k == b.rule.k && a.rule.output == b.rule.output &&
            a.rule.d == d,
        "mma: operands prepared for different rules or another D");
}

Strip StripAt(const Prepared& b, int64_t row, int64_t first) {
  const int64_t live = std::min<int64_t>(kStripWidth, b.rows - first);
  const int64_t width = (live + kStripAlign - 1) / kStripAlign * kStripAlign;
  return {row, first, static_cast<int>(width), static_cast<int>(live)};
}

// All rows of one strip of columns, for some instructions.
template <typename D>
void Block(const FloatMma& mma, const Prepared& a, const Prepared& b,
           int64_t column, int64_t first, int64_t last, D* d,
           int64_t row_stride, bool has_c) {
  for (int64_t m = 0; m < a.rows; ++m) {
    const Strip strip = StripAt(b, m, column);
    D* const out = d + m * row_stride + column;
    Row c{};
    if (has_c) LoadRow(out, strip.live, c);
    for (int64_t k = first; k < last; k += a.rule.k) {
      mma.Instruction(strip, k, c);
    }
    StoreRow(c, strip.live, out);
  }
}

template <typename D>
void Run(const Prepared& a, const Prepared& b, D* d, int64_t row_stride,
         bool accumulate) {
  const FloatMma mma(a, b);
  const int64_t step = kInstructionsAtOnce * a.rule.k;
  for (int64_t column = 0; column < b.rows; column += kStripWidth) {
    int64_t first = 0;
    do {
      const int64_t last = std::min(a.k, first + step);
      Block(mma, a, b, column, first, last, d, row_stride,
            accumulate || first > 0);
      first = last;
    } while (first < a.k);
  }
}

void IntegerRow(const Prepared& a, const Prepared& b, const Strip& strip,
                int32_t* out, bool accumulate) {
  alignas(64) int32_t sum[kStripWidth] = {};
  if (accumulate) std::copy_n(out, strip.live, sum);
  IntegerStrip({a.k, strip.width, a.number.data() + strip.row * a.row_step,
                b.number.data() + strip.first, b.k_step, sum});
  std::copy_n(sum, strip.live, out);
}

}  // namespace

void Mma(const Prepared& a, const Prepared& b, float* d, int64_t row_stride,
         bool accumulate) {
  CheckPair(a, b, DType::kF32);
  Run(a, b, d, row_stride, accumulate);
}

void Mma(const Prepared& a, const Prepared& b, uint16_t* d, int64_t row_stride,
         bool accumulate) {
  CheckPair(a, b, DType::kF16);
  Run(a, b, d, row_stride, accumulate);
}

void Mma(const Prepared& a, const Prepared& b, int32_t* d, int64_t row_stride,
         bool accumulate) {
  CheckPair(a, b, DType::kS32);
  for (int64_t column = 0; column < b.rows; column += kStripWidth) {
    for (int64_t m = 0; m < a.rows; ++m) {
      IntegerRow(a, b, StripAt(b, m, column), d + m * row_stride + column,
                 accumulate);
    }
  }
}

const char* MmaInstructionSet() { return KernelInstructionSet(); }

}  // namespace tilesim::arith
