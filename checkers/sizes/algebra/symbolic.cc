#include "checkers/sizes/algebra/symbolic.h"

#include <utility>

#include "checkers/proof/condition.h"
#include "ir/apply.h"

namespace tilesim::checkers::sizes::algebra {

namespace {

using ir::ExprOp;
using Kind = Symbolic::Kind;

// a op b where the truth is that `p` is at least 0.
Symbolic NotNegative(const Polynomial& p, std::optional<Polynomial>* out) {
  std::optional<bool> truth = p.AtLeast(0);
  if (out != nullptr) *out = p;
  return truth ? Symbolic::Number(*truth) : Symbolic::Unknown(p);
}

Symbolic Zero(const Polynomial& p, bool wanted,
              std::optional<Polynomial>* out) {
  std::optional<bool> truth = p.IsZero();
  if (out != nullptr) *out = p;
  return truth ? Symbolic::Number(*truth == wanted) : Symbolic::Unknown(p);
}

Symbolic Compare(ExprOp op, const Polynomial& a, const Polynomial& b,
                 std::optional<Polynomial>* out) {
  const Polynomial one(1);
  switch (op) {
    case ExprOp::kLt:
      return NotNegative(b - a - one, out);
    case ExprOp::kLe:
      return NotNegative(b - a, out);
    case ExprOp::kGt:
      return NotNegative(a - b - one, out);
    case ExprOp::kGe:
      return NotNegative(a - b, out);
    default:
      return Zero(a - b, op == ExprOp::kEq, out);
  }
}

std::optional<int64_t> Times(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

// A remainder as the lowest digit.
Symbolic AsDigit(const Symbolic& s) {
  return s.kind == Kind::kRemainder ? Symbolic::Digit(s.of, 1, s.by) : s;
}

// of / by % values; a remainder where nothing is divided.
Symbolic DigitOf(const Polynomial& of, int64_t by, int64_t values) {
  if (values == 1) return Symbolic::Number(0);
  return by == 1 ? Symbolic{Kind::kRemainder, of, values}
                 : Symbolic::Digit(of, by, values);
}

// Not followed, as what it depends on moves by less than its period.
Symbolic Unfit(const Symbolic& s) {
  if (std::optional<Residue> r = ResidueOf(s))
    return Symbolic::Unknown(s.of, r->period);
  return s.kind == Kind::kQuotient ? Symbolic::Unknown(s.of, s.by)
                                   : Symbolic::Unknown();
}

bool Divides(int64_t by, int64_t values) {
  return values % by == 0 || !proof::IsJudged(proof::Condition::kWholeDigits);
}

// docs/all_sizes.md 3.7: (t / by % (v d)) / d is t / (by d) % v.
Symbolic DigitDivided(const Symbolic& a, int64_t by) {
  Symbolic digit = AsDigit(a);
  if (by >= digit.values) return Symbolic::Number(0);
  std::optional<int64_t> all = Times(digit.by, by);
  if (!Divides(by, digit.values) || !all) return Unfit(a);
  return DigitOf(digit.of, *all, digit.values / by);
}

// docs/all_sizes.md 3.7: (t / by % (v d)) % d is t / by % d.
Symbolic DigitRemainder(const Symbolic& a, int64_t by) {
  Symbolic digit = AsDigit(a);
  if (by >= digit.values) return a;
  if (!Divides(by, digit.values)) return Unfit(a);
  return DigitOf(digit.of, digit.by, by);
}

Symbolic Divide(const Symbolic& a, int64_t by) {
  if (by <= 0) return Symbolic::Unknown();
  if (ResidueOf(a)) return DigitDivided(a, by);
  bool quotient = a.kind == Kind::kQuotient;
  if (a.kind != Kind::kNumber && !quotient) return Symbolic::Unknown();
  if (!a.of.Grows()) {
    // Nothing is rounded, whatever its sign.
    std::optional<Polynomial> exact =
        quotient ? std::nullopt : a.of.DividedBy(by);
    return exact ? Symbolic::Number(*exact) : Symbolic::Unknown();
  }
  std::optional<int64_t> all = quotient ? Times(by, a.by) : by;
  if (!all) return Symbolic::Unknown();
  return {Kind::kQuotient, a.of, *all};
}

Symbolic Remainder(const Symbolic& a, int64_t by) {
  if (by <= 0) return Symbolic::Unknown();
  if (ResidueOf(a)) return DigitRemainder(a, by);
  if (a.kind == Kind::kNumber && a.of.Grows())
    return {Kind::kRemainder, a.of, by};
  if (a.kind == Kind::kQuotient && by == 2)
    return Symbolic::Digit(a.of, a.by, 2);
  std::optional<Polynomial> number = NumberOf(a);
  if (number && number->Grows()) return {Kind::kRemainder, *number, by};
  bool digit = a.kind == Kind::kQuotient && Times(a.by, by);
  return digit ? Symbolic::Digit(a.of, a.by, by) : Symbolic::Unknown();
}

// a + n for the kinds that are no numbers.
Symbolic Shifted(const Symbolic& a, int64_t n) {
  int64_t by = 0;
  if (a.kind != Kind::kQuotient || __builtin_mul_overflow(n, a.by, &by))
    return Symbolic::Unknown();
  Symbolic out = a;
  out.of += Polynomial(by);
  return out.of.Grows() ? out : Symbolic::Unknown();
}

bool IsOne(const std::optional<int64_t>& v) { return v && *v == 1; }

bool IsZero(const std::optional<int64_t>& v) { return v && *v == 0; }

// Of two bits of which one is a remainder: the other one, flipped so often.
Symbolic SumOfBits(const Symbolic& a, const Symbolic& b) {
  Symbolic x = AsDigit(a), y = AsDigit(b);
  if (x.by == 1) std::swap(x, y);
  bool bits = x.kind == Kind::kDigit && y.kind == Kind::kDigit &&
              x.values == 2 && y.values == 2 && y.by == 1;
  if (!bits) return Symbolic::Unknown();
  return DigitOf(x.of + y.of * Polynomial(x.by), x.by, 2);
}

// A remainder or digit compared with a number: certain where that is none of
// its values; a bit where it has two, or where the upper half is told from the
// lower.
std::optional<Symbolic> CompareResidue(ExprOp op, const Symbolic& a,
                                       int64_t k) {
  Symbolic digit = AsDigit(a);
  const int64_t values = digit.values;
  if (op == ExprOp::kLe || op == ExprOp::kGt) {
    if (k >= values) k = values - 1;
    ++k;
  }
  const bool below = op == ExprOp::kLt || op == ExprOp::kLe;
  const bool above = op == ExprOp::kGe || op == ExprOp::kGt;
  if (below || above) {
    if (k <= 0) return Symbolic::Number(above);
    if (k >= values) return Symbolic::Number(below);
    if (2 * k != values) return std::nullopt;
    Symbolic half = DigitDivided(a, k);
    if (half.unknown()) return std::nullopt;
    return below ? Flipped(half) : half;
  }
  const bool equal = op == ExprOp::kEq;
  if (k < 0 || k >= values) return Symbolic::Number(!equal);
  if (values != 2) return std::nullopt;
  return (k == 1) == equal ? a : Flipped(a);
}

// Operators on values that are not both numbers, by a known one.
Symbolic Special(ExprOp op, const Symbolic& a, const Symbolic& b) {
  std::optional<int64_t> left = a.known(), right = b.known();
  switch (op) {
    case ExprOp::kAdd:
      if (right) return Shifted(a, *right);
      return left ? Shifted(b, *left) : Symbolic::Unknown();
    case ExprOp::kSub:
      if (right) return Shifted(a, -*right);
      return IsOne(left) ? Flipped(b) : Symbolic::Unknown();
    case ExprOp::kBitXor:
      // The one that counts how often it was flipped stays what it is.
      if (a.kind == Kind::kNumber) return Special(op, b, a);
      if (b.kind != Kind::kNumber) return SumOfBits(a, b);
      if (IsZero(right)) return a;
      return IsOne(right) ? Flipped(a) : Symbolic::Unknown();
    default:
      return Symbolic::Unknown();
  }
}

Symbolic Arithmetic(ExprOp op, const Polynomial& a, const Polynomial& b) {
  switch (op) {
    case ExprOp::kAdd:
      return Symbolic::Number(a + b);
    case ExprOp::kSub:
      return Symbolic::Number(a - b);
    case ExprOp::kMul:
      return Symbolic::Number(a * b);
    default:
      return Symbolic::Unknown();
  }
}

// A quotient, rounded down, is at least k where what is divided is at least k
// divisors: never negative, that is no polynomial itself.
struct Comparison {
  ExprOp op;
  Polynomial left, right;
};
std::optional<Comparison> Multiplied(ExprOp op, const Symbolic& quotient,
                                     const Polynomial& k) {
  Polynomial by(quotient.by), over = (k + Polynomial(1)) * by;
  switch (op) {
    case ExprOp::kLt:
    case ExprOp::kGe:
      return Comparison{op, quotient.of, k * by};
    case ExprOp::kLe:
      return Comparison{ExprOp::kLt, quotient.of, over};
    case ExprOp::kGt:
      return Comparison{ExprOp::kGe, quotient.of, over};
    default:
      return std::nullopt;
  }
}

std::optional<Comparison> OfQuotient(ExprOp op, const Symbolic& a,
                                     const Symbolic& b) {
  std::optional<Polynomial> p = NumberOf(a), q = NumberOf(b);
  if (!p && q && a.kind == Kind::kQuotient) return Multiplied(op, a, *q);
  if (p && !q && b.kind == Kind::kQuotient)
    return Multiplied(Mirrored(op), b, *p);
  return std::nullopt;
}

bool Compares(ExprOp op) { return op >= ExprOp::kLt && op <= ExprOp::kNe; }

// A truth value that is compared with a number: it is that one, or the other.
std::optional<Symbolic> OfTruth(ExprOp op, const Symbolic& a,
                                const Symbolic& b) {
  if (!Compares(op)) return std::nullopt;
  if (a.kind != Kind::kAtLeast0)
    return b.kind == Kind::kAtLeast0 ? OfTruth(Mirrored(op), b, a)
                                     : std::nullopt;
  std::optional<int64_t> with = b.known();
  if (!with) return std::nullopt;
  const bool no = *ir::Apply(op, 0, *with) != 0;
  const bool yes = *ir::Apply(op, 1, *with) != 0;
  if (yes == no) return Symbolic::Number(yes);
  return yes ? a : Symbolic::AtLeast0(Polynomial(-1) - a.of);
}

// x & 1 is x % 2, x >> n is x / 2^n: for what is never negative.
std::optional<std::pair<bool, int64_t>> DivisionBy(ExprOp op,
                                                   const Symbolic& b) {
  std::optional<int64_t> n = b.known();
  if (!n) return std::nullopt;
  bool power = *n >= 0 && *n < INT64_MAX && (*n & (*n + 1)) == 0;
  if (op == ExprOp::kDiv) return std::pair(true, *n);
  if (op == ExprOp::kRem) return std::pair(false, *n);
  if (op == ExprOp::kBitAnd && power) return std::pair(false, *n + 1);
  if (op == ExprOp::kShr && *n >= 0 && *n < 62)
    return std::pair(true, int64_t{1} << *n);
  return std::nullopt;
}

}  // namespace

ExprOp Mirrored(ExprOp op) {
  switch (op) {
    case ExprOp::kLt:
      return ExprOp::kGt;
    case ExprOp::kLe:
      return ExprOp::kGe;
    case ExprOp::kGt:
      return ExprOp::kLt;
    case ExprOp::kGe:
      return ExprOp::kLe;
    default:
      return op;
  }
}

std::optional<Polynomial> NumberOf(const Symbolic& s) {
  if (s.unknown()) return std::nullopt;
  if (s.kind == Kind::kNumber) return s.of;
  if (std::optional<int64_t> v = s.known()) return Polynomial(*v);
  if (s.kind != Kind::kQuotient) return std::nullopt;
  std::optional<Polynomial> varying = s.of.Varying().DividedBy(s.by);
  if (varying) *varying += Polynomial(s.of.base() / s.by);
  return varying;
}

std::optional<Residue> ResidueOf(const Symbolic& s) {
  if (s.unknown()) return std::nullopt;
  if (s.kind == Kind::kRemainder) return Residue{s.by, s.by};
  if (s.kind != Kind::kDigit) return std::nullopt;
  return Residue{s.values, s.by * s.values};
}

bool IsOpenBit(const Symbolic& s) {
  std::optional<Residue> r = ResidueOf(s);
  return r && r->values == 2 && !s.known();
}

Symbolic Flipped(const Symbolic& bit) {
  std::optional<Residue> r = ResidueOf(bit);
  if (!r || r->values != 2) return Symbolic::Unknown();
  Symbolic out = bit;
  out.of += Polynomial(r->period / 2);
  return out;
}

std::optional<int64_t> Symbolic::KnownOther() const {
  if (unknown()) return std::nullopt;
  if (kind == Kind::kAtLeast0)
    return of.constant() ? std::optional<int64_t>(of.base() >= 0)
                         : std::nullopt;
  if (std::optional<Residue> r = ResidueOf(*this)) {
    if (!of.VariesByMultiplesOf(r->period)) return std::nullopt;
    return kind == Kind::kRemainder ? of.base() % by : of.base() / by % values;
  }
  return of.constant() ? std::optional(of.base() / by) : std::nullopt;
}

// A truth value as a number, if it is known.
static Symbolic Plain(const Symbolic& s) {
  if (s.kind != Kind::kAtLeast0) return s;
  std::optional<int64_t> v = s.known();
  return v ? Symbolic::Number(*v) : Symbolic::Unknown(s.of);
}

Symbolic Apply(ExprOp op, const Symbolic& a, const Symbolic& b,
               std::optional<Polynomial>* compared) {
  if (a.unknown()) return Symbolic::Unknown(a.of, a.by);
  if (b.unknown()) return Symbolic::Unknown(b.of, b.by);
  if (auto truth = OfTruth(op, a, b)) return *std::move(truth);
  if (a.kind == Kind::kAtLeast0 || b.kind == Kind::kAtLeast0)
    return Apply(op, Plain(a), Plain(b), compared);
  if (op == ExprOp::kBitAnd && a.known() && !b.known())
    return Apply(op, b, a, compared);
  if (auto division = DivisionBy(op, b)) {
    Symbolic out = division->first ? Divide(a, division->second)
                                   : Remainder(a, division->second);
    if (!out.unknown()) return out;
  }
  // A bit that is flipped counts how often: the remainder by 2 of that.
  std::optional<int64_t> bit = a.known(), one = b.known();
  bool flips = op == ExprOp::kBitXor && a.kind == Kind::kNumber && bit &&
               (*bit == 0 || *bit == 1) && IsOne(one);
  if (flips) return {Kind::kRemainder, Polynomial(*bit + 1), 2};
  // A quotient stays one where that can be said.
  bool numbers = a.kind == Kind::kNumber && b.kind == Kind::kNumber;
  if (!numbers) {
    Symbolic special = Special(op, a, b);
    if (!special.unknown()) return special;
  }
  std::optional<int64_t> left = a.known(), right = b.known();
  if (left && right) {
    std::optional<int64_t> v = ir::Apply(op, *left, *right);
    return v ? Symbolic::Number(*v) : Symbolic::Unknown();
  }
  if (auto c = OfQuotient(op, a, b))
    return Compare(c->op, c->left, c->right, compared);
  if (Compares(op)) {
    bool first = ResidueOf(a) && right, second = ResidueOf(b) && left;
    auto truth = first    ? CompareResidue(op, a, *right)
                 : second ? CompareResidue(Mirrored(op), b, *left)
                          : std::nullopt;
    if (truth) return *truth;
  }
  std::optional<Polynomial> p = NumberOf(a), q = NumberOf(b);
  if (!p) return Unfit(a);
  if (!q) return Unfit(b);
  // 0 / b and 0 % b are 0.
  const bool divides = op == ExprOp::kDiv || op == ExprOp::kRem;
  if (divides && left == 0 && q->Grows() && q->base() >= 1)
    return Symbolic::Number(0);
  return Compares(op) ? Compare(op, *p, *q, compared) : Arithmetic(op, *p, *q);
}

}  // namespace tilesim::checkers::sizes::algebra
