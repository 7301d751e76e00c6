#include "checkers/sizes/partition/next_trip.h"

#include <utility>

#include "checkers/sizes/algebra/symbolic.h"
#include "checkers/sizes/partition/expressions.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::SameText;

namespace {

ExprOp Negated(ExprOp op) {
  switch (op) {
    case ExprOp::kLt:
      return ExprOp::kGe;
    case ExprOp::kLe:
      return ExprOp::kGt;
    case ExprOp::kGt:
      return ExprOp::kLe;
    case ExprOp::kGe:
      return ExprOp::kLt;
    case ExprOp::kEq:
      return ExprOp::kNe;
    case ExprOp::kNe:
      return ExprOp::kEq;
    default:
      return ExprOp::kNone;
  }
}

bool Counts(const Expr& e) {
  if (e.slot == kCounter) return true;
  for (const Expr& arg : e.args) {
    if (Counts(arg)) return true;
  }
  return false;
}

// a + b or a - b of these, in this order.
bool Is(const Expr& e, ExprOp op, const Expr& a, const Expr& b) {
  return e.kind == ExprKind::kBinary && e.op == op && SameText(e.args[0], a) &&
         SameText(e.args[1], b);
}

bool IsSum(const Expr& e, const Expr& a, const Expr& b) {
  return Is(e, ExprOp::kAdd, a, b) || Is(e, ExprOp::kAdd, b, a);
}

}  // namespace

Expr Direct(Expr e) {
  if (e.kind == ExprKind::kUnary && e.op == ExprOp::kNot &&
      Negated(e.args[0].op) != ExprOp::kNone) {
    Expr inner = std::move(e.args[0]);
    inner.op = Negated(inner.op);
    e = std::move(inner);
  }
  const bool compares =
      e.kind == ExprKind::kBinary && Negated(e.op) != ExprOp::kNone;
  if (compares && Counts(e.args[1]) && !Counts(e.args[0])) {
    e.op = algebra::Mirrored(e.op);
    std::swap(e.args[0], e.args[1]);
  }
  return e;
}

std::optional<bool> SaysSame(const Expr& a, const Expr& b) {
  const Expr one = Direct(a);
  for (bool turned : {false, true}) {
    Expr other = b;
    if (turned) {
      other.op = algebra::Mirrored(other.op);
      std::swap(other.args[0], other.args[1]);
    }
    const bool operands = one.kind == ExprKind::kBinary &&
                          one.args.size() == 2 &&
                          SameText(one.args[0], other.args[0]) &&
                          SameText(one.args[1], other.args[1]);
    if (operands && one.op == other.op) return true;
    if (operands && one.op == Negated(other.op)) return false;
  }
  return std::nullopt;
}

// The counter of the next iteration is one step further, so there is one where
// the comparison holds of that. Numbers that are whole and go up by 1 to below
// an end come to the one before it.
std::optional<bool> SaysNext(const Expr& condition, const GoesOn& loop,
                             bool advanced) {
  const Expr said = Direct(condition);
  if (said.kind != ExprKind::kBinary || said.args.size() != 2)
    return std::nullopt;
  const Expr &left = said.args[0], &right = said.args[1];
  const Expr &counter = loop.condition.args[0], &end = loop.condition.args[1];
  const bool ahead = loop.up ? IsSum(left, counter, loop.step)
                             : Is(left, ExprOp::kSub, counter, loop.step);
  const bool nearer = loop.up ? Is(right, ExprOp::kSub, end, loop.step)
                              : IsSum(right, end, loop.step);
  const bool one_on =
      (ahead && SameText(right, end)) || (SameText(left, counter) && nearer);
  const bool here = SameText(left, counter) && SameText(right, end);
  if (advanced ? !here : !one_on) return std::nullopt;
  if (said.op == loop.condition.op) return true;
  if (said.op == Negated(loop.condition.op)) return false;
  const bool ones = loop.up && loop.step.is_int(1) &&
                    loop.condition.op == ExprOp::kLt && !advanced;
  if (ones && said.op == ExprOp::kNe) return true;
  if (ones && said.op == ExprOp::kEq) return false;
  return std::nullopt;
}

namespace {

// n of from + n, written as sums and differences.
std::optional<Expr> Beyond(const Expr& e, const Expr& from) {
  const bool sum = e.op == ExprOp::kAdd;
  if (e.kind != ExprKind::kBinary || (!sum && e.op != ExprOp::kSub))
    return std::nullopt;
  for (int i : {0, 1}) {
    if (!sum && i == 1) break;
    const Expr &part = e.args[i], &more = e.args[1 - i];
    if (sum && SameText(part, from)) return more;
    auto beyond = Beyond(part, from);
    if (beyond) return Binary(e.op, *std::move(beyond), more);
  }
  return std::nullopt;
}

}  // namespace

// begin + n * step < end says that there is an iteration number n, from 0 on,
// if n is not negative: the step is at least 1.
std::optional<StepsOn> SaysStepsOn(const Expr& condition, const Expr& from,
                                   const GoesOn& loop) {
  const Expr& goes = loop.condition;
  if (!loop.up || goes.kind != ExprKind::kBinary || goes.op != ExprOp::kLt ||
      condition.kind != ExprKind::kBinary)
    return std::nullopt;
  Expr said = condition;
  if (said.op == ExprOp::kGt || said.op == ExprOp::kLe) {
    said.op = algebra::Mirrored(said.op);
    std::swap(said.args[0], said.args[1]);
  }
  const bool says = said.op == ExprOp::kLt;
  if ((!says && said.op != ExprOp::kGe) ||
      !SameText(said.args[1], goes.args[1]))
    return std::nullopt;
  if (loop.step.is_int(1)) {
    auto beyond = Beyond(said.args[0], from);
    return beyond ? std::optional(StepsOn{*std::move(beyond), says})
                  : std::nullopt;
  }
  if (said.args[0].kind != ExprKind::kBinary || said.args[0].op != ExprOp::kAdd)
    return std::nullopt;
  for (int i : {0, 1}) {
    const Expr &begin = said.args[0].args[i], &more = said.args[0].args[1 - i];
    if (!SameText(begin, from)) continue;
    if (SameText(more, loop.step))
      return StepsOn{Expr::Int(1, more.span), says};
    if (more.kind != ExprKind::kBinary || more.op != ExprOp::kMul) continue;
    for (int k : {0, 1}) {
      if (SameText(more.args[k], loop.step))
        return StepsOn{more.args[1 - k], says};
    }
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::sizes::partition
