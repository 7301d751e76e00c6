#include "checkers/sizes/algebra/symbolic.h"

#include <utility>

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

Symbolic Divide(const Symbolic& a, int64_t by) {
  if (by <= 0) return Symbolic::Unknown();
  bool quotient = a.kind == Kind::kQuotient;
  if (a.kind != Kind::kNumber && !quotient) return Symbolic::Unknown();
  if (!a.of.Grows()) {
    // Nothing is rounded, whatever its sign.
    std::optional<Polynomial> exact =
        quotient ? std::nullopt : a.of.DividedBy(by);
    return exact ? Symbolic::Number(*exact) : Symbolic::Unknown();
  }
  int64_t all = by;
  if (quotient && __builtin_mul_overflow(by, a.by, &all))
    return Symbolic::Unknown();
  return {Kind::kQuotient, a.of, all};
}

Symbolic Remainder(const Symbolic& a, int64_t by) {
  if (by <= 0) return Symbolic::Unknown();
  if (a.kind == Kind::kNumber && a.of.Grows())
    return {Kind::kRemainder, a.of, by};
  if (a.kind == Kind::kQuotient && by == 2) return {Kind::kParity, a.of, a.by};
  std::optional<Polynomial> number = NumberOf(a);
  if (!number || !number->Grows()) return Symbolic::Unknown();
  return {Kind::kRemainder, *number, by};
}

// What is no polynomial, and with which divisor.
Symbolic Unfit(const Symbolic& s) {
  return s.kind == Kind::kQuotient ? Symbolic::Unknown(s.of, s.by)
                                   : Symbolic::Unknown();
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

// 1 becomes 0, 0 becomes 1.
Symbolic Flipped(const Symbolic& a) {
  Symbolic out = a;
  if (a.kind == Kind::kRemainder && a.by == 2) {
    out.of += Polynomial(1);
  } else if (a.kind == Kind::kParity) {
    out.of += Polynomial(a.by);
  } else {
    return Symbolic::Unknown();
  }
  return out;
}

bool IsOne(const std::optional<int64_t>& v) { return v && *v == 1; }

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
      if (IsOne(right)) return Flipped(a);
      return IsOne(left) ? Flipped(b) : Symbolic::Unknown();
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

std::optional<Comparison> OfQuotient(ExprOp op, const Symbolic& a,
                                     const Symbolic& b) {
  std::optional<Polynomial> p = NumberOf(a), q = NumberOf(b);
  if (!p && q && a.kind == Kind::kQuotient) return Multiplied(op, a, *q);
  if (p && !q && b.kind == Kind::kQuotient)
    return Multiplied(Mirrored(op), b, *p);
  return std::nullopt;
}

bool Compares(ExprOp op) { return op >= ExprOp::kLt && op <= ExprOp::kNe; }

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

std::optional<Polynomial> NumberOf(const Symbolic& s) {
  if (s.unknown()) return std::nullopt;
  if (s.kind == Kind::kNumber) return s.of;
  if (std::optional<int64_t> v = s.known()) return Polynomial(*v);
  if (s.kind != Kind::kQuotient) return std::nullopt;
  std::optional<Polynomial> varying = s.of.Varying().DividedBy(s.by);
  if (varying) *varying += Polynomial(s.of.base() / s.by);
  return varying;
}

std::optional<int64_t> Symbolic::KnownOther() const {
  if (unknown()) return std::nullopt;
  if (kind == Kind::kAtLeast0)
    return of.constant() ? std::optional<int64_t>(of.base() >= 0)
                         : std::nullopt;
  int64_t period = kind == Kind::kParity ? 2 * by : by;
  if (kind == Kind::kQuotient ? !of.constant()
                              : !of.VariesByMultiplesOf(period))
    return std::nullopt;
  if (kind == Kind::kRemainder) return of.base() % by;
  int64_t quotient = of.base() / by;
  return kind == Kind::kQuotient ? quotient : quotient % 2;
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
  if (a.kind == Kind::kAtLeast0 || b.kind == Kind::kAtLeast0)
    return Apply(op, Plain(a), Plain(b), compared);
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
  std::optional<Polynomial> p = NumberOf(a), q = NumberOf(b);
  if (!p) return Unfit(a);
  if (!q) return Unfit(b);
  return Compares(op) ? Compare(op, *p, *q, compared) : Arithmetic(op, *p, *q);
}

}  // namespace tilesim::checkers::sizes::algebra
