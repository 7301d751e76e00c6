#include "checkers/sizes/state/family_arithmetic.h"

#include <algorithm>

#include "ir/eval.h"

namespace tilesim::checkers::sizes::state {
using algebra::Apply;
using algebra::Facts;
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using ir::ExprOp;

using Kind = Symbolic::Kind;

void FamilyArithmetic::Undecided(Guard guard) {
  if (!undecided_) undecided_ = std::move(guard);
}

// Of a number that only facts say is never negative, and that varies by
// multiples of the divisor: what is rounded off is the same for all.
std::optional<Symbolic> FamilyArithmetic::Divided(ExprOp op, const Symbolic& a,
                                                  const Symbolic& b) const {
  std::optional<int64_t> by = b.known();
  bool divides = op == ExprOp::kDiv || op == ExprOp::kRem;
  if (op == ExprOp::kDiv && by && *by > 1 && a.kind == Kind::kNumber) {
    if (auto exact = WithoutRest(a.of, *by)) return Symbolic::Number(*exact);
  }
  if (!divides || !by || *by <= 0 || a.kind != Kind::kNumber || a.of.bad() ||
      a.of.Grows() || !a.of.VariesByMultiplesOf(*by) ||
      !AtLeast0(a.of).value_or(false))
    return std::nullopt;
  int64_t rest = (a.of.base() % *by + *by) % *by;
  if (op == ExprOp::kRem) return Symbolic::Number(rest);
  auto quotient = (a.of - Polynomial(rest)).DividedBy(*by);
  return quotient ? std::optional(Symbolic::Number(*quotient)) : std::nullopt;
}

// (256 n + 8 r + 255) / 256 with r from 0 to 31 is n + (8 r + 255) / 256, and
// that lies between 0 and 1: what is not a multiple of the divisor is between
// two multiples next to each other, or the quotient is not said so.
std::optional<Polynomial> FamilyArithmetic::WithoutRest(const Polynomial& of,
                                                        int64_t by) const {
  if (of.bad()) return std::nullopt;
  Polynomial rest(of.base()), whole;
  for (const auto& [monomial, c] : of.terms()) {
    Polynomial term = Polynomial::Of(monomial, c);
    (c % by == 0 ? whole : rest) += term;
  }
  if (rest.constant() || of.base() < 0) return std::nullopt;
  const Polynomial low(of.base() / by * by);
  bool inside = AtLeast0(of).value_or(false) &&
                AtLeast0(rest - low).value_or(false) &&
                AtLeast0(low + Polynomial(by - 1) - rest).value_or(false);
  return inside ? (whole + low).DividedBy(by) : std::nullopt;
}

Symbolic FamilyArithmetic::Compute(ExprOp op, const Symbolic& a,
                                   const Symbolic& b) {
  if (auto divided = Divided(op, a, b)) return *divided;
  std::optional<Polynomial> compared;
  Symbolic out = Apply(op, a, b, &compared);
  if (!compared) {
    bool unsaid = out.unknown() && unsaid_;
    return unsaid ? unsaid_(op, -1, a, b) : out;
  }
  compared_ = Rewritten(*compared, family_.known);
  return out.unknown() ? Decided(op, *compared_) : out;
}

// By the facts.
Symbolic FamilyArithmetic::Decided(ExprOp op,
                                   const Polynomial& compared) const {
  bool equality = op == ExprOp::kEq || op == ExprOp::kNe;
  std::optional<bool> truth =
      equality ? family_.facts.IsZero(Rewritten(compared, rewrites_))
               : AtLeast0(compared);
  if (!truth) return Symbolic::Unknown(compared);
  return Symbolic::Number(op == ExprOp::kNe ? !*truth : *truth);
}

Symbolic FamilyArithmetic::Truth(const Symbolic& condition) {
  if (condition.kind == Kind::kAtLeast0) {
    compared_ = Rewritten(condition.of, family_.known);
    std::optional<bool> truth = AtLeast0(*compared_);
    return truth ? Symbolic::Number(*truth) : Symbolic::Unknown(*compared_);
  }
  if (std::optional<int64_t> known = condition.known())
    return Symbolic::Number(*known != 0);
  return Compute(ExprOp::kNe, condition, Symbolic::Number(0));
}

// Facts are about numbers as they are without what else is known for a while:
// where they do not decide what it makes of the number, they may with it as
// another fact.
std::optional<bool> FamilyArithmetic::AtLeast0(const Polynomial& number) const {
  std::optional<bool> truth =
      family_.facts.AtLeast0(Rewritten(number, rewrites_));
  if (truth || rewrites_.empty()) return truth;
  Facts facts = family_.facts;
  for (const Rewrite& r : rewrites_) facts.Add(r.of - r.by);
  return facts.AtLeast0(number);
}

Symbolic FamilyArithmetic::Unary(ExprOp op, const Symbolic& a) {
  if (op == ExprOp::kBitNot) return Symbolic::Unknown();
  const Symbolic zero = Symbolic::Number(0);
  return op == ExprOp::kNot ? Compute(ExprOp::kEq, a, zero)
                            : Compute(ExprOp::kSub, zero, a);
}

Symbolic FamilyArithmetic::Call(int32_t function, const Symbolic& a,
                                const Symbolic& b) {
  const ir::Function& f = ir::Functions()[function];
  std::optional<int64_t> x = a.known(), y = b.known();
  if (x && y) {
    std::optional<int64_t> v = f.apply(*x, *y);
    return v ? Symbolic::Number(*v) : Symbolic::Unknown();
  }
  if (f.name == "cdiv" && y && *y > 0) {
    Symbolic up = Compute(ExprOp::kAdd, a, Symbolic::Number(*y - 1));
    return Compute(ExprOp::kDiv, up, b);
  }
  auto unsaid = [&](const Symbolic& unknown) {
    return unsaid_ ? unsaid_(ExprOp::kNone, function, a, b) : unknown;
  };
  if (f.name != "min" && f.name != "max") return unsaid(Symbolic::Unknown());
  Symbolic compared = Compute(ExprOp::kLe, a, b);
  std::optional<int64_t> less = compared.known();
  if (!less) return unsaid(compared);
  return (*less != 0) == (f.name == "min") ? a : b;
}

Symbolic FamilyArithmetic::Natural(const Symbolic& index) {
  bool divided = algebra::ResidueOf(index) || index.kind == Kind::kQuotient;
  return divided ? Symbolic::Number(1)
                 : Compute(ExprOp::kGe, index, Symbolic::Number(0));
}

// A remainder is below what it is divided by.
Symbolic FamilyArithmetic::Below(const Symbolic& index,
                                 const Symbolic& extent) {
  if (std::optional<int64_t> known = index.known())
    return Compute(ExprOp::kLt, Symbolic::Number(*known), extent);
  auto residue = algebra::ResidueOf(index);
  if (!residue) return Compute(ExprOp::kLt, index, extent);
  auto numbers = NumberOf(extent);
  bool below = numbers &&
               AtLeast0(*numbers - Polynomial(residue->values)).value_or(false);
  return below ? Symbolic::Number(1)
               : Symbolic::Unknown(index.of, residue->period);
}

}  // namespace tilesim::checkers::sizes::state
