#include "sim/machine/arith/mma_reference.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "ir/values/check.h"

namespace tilesim::arith {
namespace {

using values::DTypeInfo;
using values::NanPolicy;
using Wide = __int128;

constexpr uint32_t kNanF32 = 0x7fffffff;
constexpr uint32_t kNanF16 = 0x7fff;

// sign * significand * 2^(exponent - fraction_bits). The significand is not
// normalised; `exponent` is the one that takes part in the maximum.
struct Number {
  enum class Kind { kFinite, kInf, kNan } kind = Kind::kFinite;
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;
  int fraction_bits = 0;

  bool is_zero() const { return kind == Kind::kFinite && significand == 0; }
};

// ---- decoding

bool AllOnes(uint32_t value, int bits) { return value == (1u << bits) - 1; }

Number DecodeNumber(DType type, uint32_t code) {
  const DTypeInfo& info = values::Info(type);
  const uint32_t bits = code >> info.pad_bits();  // tf32 drops 13 bits
  const int m = info.mantissa_bits;
  const uint32_t mantissa = bits & ((1u << m) - 1);
  const uint32_t biased = (bits >> m) & ((1u << info.exponent_bits) - 1);
  Number n;
  n.negative = info.sign_bits == 1 && (bits >> (m + info.exponent_bits)) & 1;
  n.fraction_bits = m;
  const bool top = AllOnes(biased, info.exponent_bits);
  if (top && info.nan == NanPolicy::kIeee) {
    n.kind = mantissa == 0 ? Number::Kind::kInf : Number::Kind::kNan;
    return n;
  }
  if (top && info.nan == NanPolicy::kAllOnes && AllOnes(mantissa, m)) {
    n.kind = Number::Kind::kNan;
    return n;
  }
  const bool hidden = biased != 0 || type == DType::kUE8M0;
  n.significand = mantissa + (hidden ? 1u << m : 0);
  // A subnormal keeps the minimum exponent. ue8m0 has no subnormals.
  n.exponent = (hidden ? static_cast<int>(biased) : 1) - info.bias;
  return n;
}

Number NanNumber() {
  Number n;
  n.kind = Number::Kind::kNan;
  return n;
}

Number Product(const Number& a, const Number& b) {
  using Kind = Number::Kind;
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return NanNumber();
  Number p;
  p.negative = a.negative != b.negative;
  if (a.kind == Kind::kInf || b.kind == Kind::kInf) {
    if (a.is_zero() || b.is_zero()) return NanNumber();
    p.kind = Kind::kInf;
    return p;
  }
  p.significand = a.significand * b.significand;
  p.exponent = a.exponent + b.exponent;
  p.fraction_bits = a.fraction_bits + b.fraction_bits;
  return p;
}

// ---- the fused sum

// 1.2 item 1: what decides before any arithmetic.
std::optional<Number> Special(const std::vector<Number>& terms) {
  bool plus = false, minus = false;
  for (const Number& t : terms) {
    if (t.kind == Number::Kind::kNan) return NanNumber();
    if (t.kind != Number::Kind::kInf) continue;
    (t.negative ? minus : plus) = true;
  }
  if (plus && minus) return NanNumber();
  if (!plus && !minus) return std::nullopt;
  Number inf;
  inf.kind = Number::Kind::kInf;
  inf.negative = minus;
  return inf;
}

// Magnitude of `n` in units of 2^unit, cut toward zero.
Wide InUnits(const Number& n, int unit) {
  if (n.significand == 0) return 0;  // its exponent means nothing
  const int shift = n.exponent - n.fraction_bits - unit;
  if (shift >= 0) return n.significand << shift;
  return -shift > 126 ? 0 : n.significand >> -shift;
}

// 1.2 items 1 to 3. The sum has exponent E and F fraction bits.
Number FusedSum(const MmaRule& rule, const std::vector<Number>& terms) {
  if (const std::optional<Number> special = Special(terms)) return *special;
  Number sum;
  sum.exponent = rule.e_floor;
  for (const Number& t : terms) {
    if (!t.is_zero()) sum.exponent = std::max(sum.exponent, t.exponent);
  }
  sum.fraction_bits = rule.fraction_bits;
  Wide total = 0;
  for (const Number& t : terms) {
    const Wide units = InUnits(t, sum.exponent - sum.fraction_bits);
    total += t.negative ? -units : units;
  }
  sum.negative = total < 0;
  sum.significand = total < 0 ? -total : total;
  return sum;
}

// ---- rounding the sum, item 4

int TopBit(Wide value) {
  int bit = -1;
  for (; value != 0; value >>= 1) ++bit;
  return bit;
}

// value / 2^shift, cut or to nearest even.
Wide Scale(Wide value, int shift, bool nearest) {
  if (shift <= 0) return value << -shift;
  if (shift > 120) return 0;
  const Wide kept = value >> shift;
  const Wide rest = value - (kept << shift);
  const Wide half = Wide{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return kept + (nearest && up ? 1 : 0);
}

struct Format {
  int exponent_bits;
  int mantissa_bits;  // in the code
  int kept_bits;      // fraction bits that the result may use
  bool nearest;
  uint32_t nan;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int min_exponent() const { return 1 - bias(); }
  uint32_t inf() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
};

Format FormatOf(Output output) {
  switch (output) {
    case Output::kF32Rz13:
      return {8, 23, 13, false, kNanF32};
    case Output::kF32Rne:
      return {8, 23, 23, true, kNanF32};
    case Output::kF16Rne:
      return {5, 10, 10, true, kNanF16};
    default:
      return {8, 23, 23, false, kNanF32};
  }
}

uint32_t Round(const Number& sum, Output output) {
  const Format f = FormatOf(output);
  if (sum.kind == Number::Kind::kNan) return f.nan;
  const uint32_t sign =
      sum.negative ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
  if (sum.kind == Number::Kind::kInf) return sign | f.inf();
  if (sum.significand == 0) return 0;  // +0 always
  const int lowest = sum.exponent - sum.fraction_bits;
  const int exponent =
      std::max(TopBit(sum.significand) + lowest, f.min_exponent());
  const Wide mantissa =
      Scale(sum.significand, exponent - f.kept_bits - lowest, f.nearest)
      << (f.mantissa_bits - f.kept_bits);
  if (mantissa == 0) return 0;  // a negative underflow too
  const Wide code =
      (Wide{exponent - f.min_exponent()} << f.mantissa_bits) + mantissa;
  return sign | (code >= f.inf() ? f.inf() : static_cast<uint32_t>(code));
}

// ---- one element

std::vector<Number> DecodeAll(DType type, std::span<const uint32_t> codes) {
  std::vector<Number> numbers;
  for (const uint32_t code : codes) numbers.push_back(DecodeNumber(type, code));
  return numbers;
}

std::vector<Number> Products(const ReferenceOperand& a,
                             const ReferenceOperand& b) {
  std::vector<Number> products = DecodeAll(a.type, a.codes);
  const std::vector<Number> right = DecodeAll(b.type, b.codes);
  for (size_t i = 0; i < products.size(); ++i) {
    products[i] = Product(products[i], right[i]);
  }
  return products;
}

Number ScaleOf(const MmaRule& rule, const ReferenceOperand& a,
               const ReferenceOperand& b, size_t k) {
  const size_t block = k / rule.scale_block;
  return Product(DecodeNumber(*rule.scale_type, a.scales[block]),
                 DecodeNumber(*rule.scale_type, b.scales[block]));
}

// Products first..last-1 (all e2m1: exponents 0..4, two fraction bits) as one
// exact fixed-point number of exponent 0.
Number GroupSum(const std::vector<Number>& products, size_t first,
                size_t last) {
  Wide total = 0;
  for (size_t i = first; i < last; ++i) {
    const Wide units = InUnits(products[i], -2);
    total += products[i].negative ? -units : units;
  }
  Number sum;
  sum.negative = total < 0;
  sum.significand = total < 0 ? -total : total;
  sum.fraction_bits = 2;
  return sum;
}

std::vector<Number> ScaledTerms(const MmaRule& rule, const ReferenceOperand& a,
                                const ReferenceOperand& b) {
  const std::vector<Number> products = Products(a, b);
  std::vector<Number> terms;
  const size_t step = rule.group > 0 ? rule.group : 1;
  for (size_t k = 0; k < products.size(); k += step) {
    const Number term =
        rule.group > 0 ? GroupSum(products, k, k + step) : products[k];
    terms.push_back(Product(term, ScaleOf(rule, a, b, k)));
  }
  return terms;
}

// -133 and so on apply to each of the two sums; the last step is a plain f32
// addition, to nearest even.
uint32_t TwoHalves(const MmaRule& rule, const std::vector<Number>& products,
                   uint32_t c) {
  uint32_t v = 0;
  for (const size_t half : {0, 1}) {
    std::vector<Number> terms;
    for (size_t k = 0; k < products.size(); ++k) {
      if (k % 4 / 2 == half) terms.push_back(products[k]);
    }
    if (half == 1) terms.push_back(DecodeNumber(DType::kF32, v));
    v = Round(FusedSum(rule, terms), rule.output);
  }
  const float d = std::bit_cast<float>(v) + std::bit_cast<float>(c);
  return d != d ? kNanF32 : std::bit_cast<uint32_t>(d);
}

int64_t Integer(DType type, uint32_t code) {
  return type == DType::kS8 ? static_cast<int8_t>(code)
                            : static_cast<uint8_t>(code);
}

uint32_t IntegerSum(const ReferenceOperand& a, const ReferenceOperand& b,
                    uint32_t c) {
  int64_t sum = static_cast<int32_t>(c);
  for (size_t k = 0; k < a.codes.size(); ++k) {
    sum += Integer(a.type, a.codes[k]) * Integer(b.type, b.codes[k]);
  }
  return static_cast<uint32_t>(sum);
}

}  // namespace

uint32_t ReferenceElement(const MmaRule& rule, const ReferenceOperand& a,
                          const ReferenceOperand& b, uint32_t c) {
  const auto k = static_cast<size_t>(rule.k);
  values::Check(a.codes.size() == k && b.codes.size() == k,
                "reference: an operand is not one instruction long");
  if (rule.is_integer()) return IntegerSum(a, b, c);
  if (rule.steps == Steps::kTwoHalvesThenAdd) {
    return TwoHalves(rule, Products(a, b), c);
  }
  std::vector<Number> terms =
      rule.is_scaled() ? ScaledTerms(rule, a, b) : Products(a, b);
  terms.push_back(DecodeNumber(rule.d, c));
  return Round(FusedSum(rule, terms), rule.output);
}

}  // namespace tilesim::arith
