#include "checkers/sizes/partition/trip_count.h"

#include <optional>
#include <utility>

#include "checkers/sizes/partition/expressions.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::SameText;

namespace {

bool Calls(const Expr& e, const char* name) {
  return e.kind == ExprKind::kCall && e.name == name && e.args.size() == 2;
}
// x of max(x, 0).
std::optional<Expr> CutAt0(const Expr& e) {
  if (!Calls(e, "max")) return std::nullopt;
  if (e.args[1].is_int(0)) return e.args[0];
  if (e.args[0].is_int(0)) return e.args[1];
  return std::nullopt;
}

// x of (x + by - 1) / by.
std::optional<Expr> RoundedUp(const Expr& e) {
  if (!IsBinary(e, ExprOp::kDiv)) return std::nullopt;
  const Expr &sum = e.args[0], &by = e.args[1];
  if (IsBinary(sum, ExprOp::kSub) && sum.args[1].is_int(1) &&
      IsBinary(sum.args[0], ExprOp::kAdd) && SameText(sum.args[0].args[1], by))
    return sum.args[0].args[0];
  if (!IsBinary(sum, ExprOp::kAdd)) return std::nullopt;
  const Expr& more = sum.args[1];
  const bool less_1 =
      (IsBinary(more, ExprOp::kSub) && SameText(more.args[0], by) &&
       more.args[1].is_int(1)) ||
      (more.kind == ExprKind::kInt && by.is_int(more.value + 1));
  return less_1 ? std::optional(sum.args[0]) : std::nullopt;
}

// Whether the condition says that x is positive.
bool SaysPositive(const Expr& e, const Expr& x) {
  const bool more = IsBinary(e, ExprOp::kGt), less = IsBinary(e, ExprOp::kLt);
  if (!more && !less) return false;
  const Expr &high = e.args[more ? 0 : 1], &low = e.args[more ? 1 : 0];
  if (low.is_int(0)) return SameText(high, x);
  return IsBinary(x, ExprOp::kSub) && SameText(x.args[0], high) &&
         SameText(x.args[1], low);
}

}  // namespace

// cdiv(x, by) is positive where x is, and so are the others.
Expr TripCount(Expr e) {
  if (auto x = CutAt0(e)) return TripCount(*std::move(x));
  if (auto x = RoundedUp(e)) {
    Expr up;
    up.kind = ExprKind::kCall;
    up.name = "cdiv";
    up.span = e.span;
    up.args = {*std::move(x), e.args[1]};
    return TripCount(std::move(up));
  }
  if (Calls(e, "cdiv")) {
    e.args[0] = TripCount(std::move(e.args[0]));
    return e;
  }
  if (e.kind == ExprKind::kSelect && e.args[2].is_int(0)) {
    Expr count = TripCount(e.args[1]);
    const Expr& of = Calls(count, "cdiv") ? count.args[0] : count;
    if (SaysPositive(e.args[0], of) || SaysPositive(e.args[0], count))
      return count;
  }
  return e;
}

}  // namespace tilesim::checkers::sizes::partition
