#include "sim/machine/arith/mma_general.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "ir/values/convert.h"
#include "sim/machine/arith/mma_kernel.h"

namespace tilesim::arith {
namespace {

// value = significand * 2^(exponent - fraction_bits), significand signed.
struct Term {
  int64_t significand = 0;
  int exponent = 0;
  int fraction_bits = 0;
};

struct Terms {
  Term term[kMaxStripK + 1];
  int count = 0;

  void Add(const Term& t) {
    if (t.significand != 0) term[count++] = t;
  }
};

constexpr int kFractionBits = 23;  // of every prepared value

int ExponentOf(float power) {
  return (std::bit_cast<int32_t>(power) >> kFractionBits) - 127;
}

// 24 bits, not normalised; the division by a power of two is exact.
int64_t SignificandOf(float value, float power) {
  return static_cast<int64_t>(value / power * (1 << kFractionBits));
}

Term TermOfC(const MmaRule& rule, float c) {
  if (c == 0) return {};
  const int min_exponent = rule.output == Output::kF16Rne ? -14 : -126;
  const int exponent = std::max(std::ilogb(c), min_exponent);
  const auto significand = static_cast<int64_t>(
      std::ldexp(static_cast<double>(c), kFractionBits - exponent));
  return {significand, exponent, kFractionBits};
}

// Where the elements of one row and one column stand.
class Pair {
 public:
  Pair(const Prepared& a, const Prepared& b, int64_t row, int64_t column)
      : a_(a), b_(b), row_(row), column_(column) {}

  double Product(int64_t k) const {
    return static_cast<double>(a_.value[IndexA(k)]) * b_.value[IndexB(k)];
  }

  Term TermAt(int64_t k) const {
    const int64_t i = IndexA(k), j = IndexB(k);
    const float va = a_.value[i], vb = b_.value[j];
    if (va == 0 || vb == 0) return {};
    const float pa = a_.power[i], pb = b_.power[j];
    return {SignificandOf(va, pa) * SignificandOf(vb, pb),
            ExponentOf(pa) + ExponentOf(pb) + ScaleExponent(k),
            2 * kFractionBits};
  }

  // Significands of e2m1 and of scales are multiples of 1/4 and 1/8.
  Term GroupAt(int64_t first) const {
    double quarters = 0;
    for (int64_t k = first; k < first + a_.rule.group; ++k) {
      quarters += 4 * Product(k);
    }
    const double scaled = quarters * 64 * ScaleValue(first);
    return {static_cast<int64_t>(scaled), ScaleExponent(first), 8};
  }

  // Block scales: NaN if one is, so that a product with it is.
  double ScaleValue(int64_t k) const {
    if (!a_.rule.is_scaled()) return 1;
    return static_cast<double>(a_.scale_value[ScaleA(k)]) *
           b_.scale_value[ScaleB(k)];
  }

 private:
  int64_t IndexA(int64_t k) const { return row_ * a_.row_step + k * a_.k_step; }
  int64_t IndexB(int64_t k) const {
    return column_ * b_.row_step + k * b_.k_step;
  }
  int64_t ScaleA(int64_t k) const {
    return row_ * a_.scale_row_step +
           k / a_.rule.scale_block * a_.scale_block_step;
  }
  int64_t ScaleB(int64_t k) const {
    return column_ * b_.scale_row_step +
           k / b_.rule.scale_block * b_.scale_block_step;
  }
  int ScaleExponent(int64_t k) const {
    if (!a_.rule.is_scaled()) return 0;
    return a_.scale_exponent[ScaleA(k)] + b_.scale_exponent[ScaleB(k)];
  }

  const Prepared& a_;
  const Prepared& b_;
  int64_t row_;
  int64_t column_;
};

int64_t InUnits(const Term& t, int unit) {
  const int shift = unit - (t.exponent - t.fraction_bits);
  const int64_t magnitude = std::abs(t.significand);
  // Left shifts stay below 2^48: at most F - fraction_bits, see the rules.
  const int64_t units = shift <= 0   ? magnitude << -shift
                        : shift < 63 ? magnitude >> shift
                                     : 0;
  return t.significand < 0 ? -units : units;
}

// The exact sum in double: below 2^53 units of at least 2^-168.
double FusedSum(const MmaRule& rule, const Terms& terms) {
  int largest = rule.e_floor;
  for (int i = 0; i < terms.count; ++i) {
    largest = std::max(largest, terms.term[i].exponent);
  }
  const int unit = largest - rule.fraction_bits;
  int64_t total = 0;
  for (int i = 0; i < terms.count; ++i) {
    total += InUnits(terms.term[i], unit);
  }
  return std::ldexp(static_cast<double>(total), unit);
}

float RoundSum(const MmaRule& rule, double sum) {
  if (rule.output == Output::kF16Rne) {
    const uint64_t code = values::Encode(DType::kF16, sum);
    return static_cast<float>(values::Decode(DType::kF16, code)) + 0.0f;
  }
  const float inf = std::numeric_limits<float>::infinity();
  if (std::fabs(sum) >= 0x1p128) return sum < 0 ? -inf : inf;
  auto code = static_cast<uint32_t>(
      values::Encode(DType::kF32, sum, {values::Rounding::kRz}));
  if (rule.output == Output::kF32Rz13) code &= ~uint32_t{0} << 10;
  return std::bit_cast<float>(code) + 0.0f;  // -0 becomes +0
}

// What IEEE addition makes of the infinities and NaN among the terms; finite
// operands cannot overflow a double.
double IeeeSum(const Pair& pair, int64_t first, int64_t count, float c) {
  double sum = c;
  for (int64_t k = first; k < first + count; ++k) {
    sum += pair.Product(k) + 0 * pair.ScaleValue(k);
  }
  return sum;
}

Terms Collect(const Prepared& a, const Pair& pair, int64_t first, int64_t count,
              float c) {
  Terms terms;
  const int64_t step = std::max(a.rule.group, 1);
  for (int64_t k = first; k < first + count; k += step) {
    terms.Add(a.rule.group > 0 ? pair.GroupAt(k) : pair.TermAt(k));
  }
  terms.Add(TermOfC(a.rule, c));
  return terms;
}

}  // namespace

float GeneralElement(const Prepared& a, const Prepared& b, int64_t row,
                     int64_t column, int64_t first, int64_t count, float c) {
  const Pair pair(a, b, row, column);
  const double ieee = IeeeSum(pair, first, count, c);
  if (std::isnan(ieee)) return std::bit_cast<float>(0x7fffffff);
  if (std::isinf(ieee)) return static_cast<float>(ieee);
  return RoundSum(a.rule, FusedSum(a.rule, Collect(a, pair, first, count, c)));
}

}  // namespace tilesim::arith
