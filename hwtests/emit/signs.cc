#include "hwtests/emit/signs.h"

#include <algorithm>
#include <vector>

namespace tilesim::hwtests {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::NameKind;

namespace {

// cta.x in a grid of grid.x.
bool IsPlaceIn(const Expr& place, const Expr& size) {
  return place.kind == ExprKind::kName && size.kind == ExprKind::kName &&
         place.name.starts_with("cta.") && size.name.starts_with("grid.") &&
         place.name.back() == size.name.back();
}

}  // namespace

// All are taken not to be negative; those that this does not bear out are taken
// away until it bears out the rest.
Signs::Signs(const Ranges& ranges) : ranges_(ranges) {
  for (size_t before = SIZE_MAX; before != negative_.size();) {
    before = negative_.size();
    for (const auto& [slot, values] : ranges_.values()) {
      // A loop's counter counts up from the first, unless its step is below 0.
      const bool counter = ranges_.IsCounter(slot);
      const Expr* step = counter ? ranges_.StepOf(slot) : nullptr;
      const size_t count = counter ? 1 : values.size();
      const bool up = step == nullptr || NeverNegative(*step);
      const bool all =
          up &&
          std::all_of(values.begin(),
                      values.begin() + static_cast<ptrdiff_t>(count),
                      [&](const Expr* value) { return NeverNegative(*value); });
      if (!all || ranges_.IsSetByOp(slot)) negative_.insert(slot);
    }
  }
}

bool Signs::NeverNegative(const Expr& expr) const {
  const std::optional<Range> range = ranges_.Of(expr);
  if (range && range->low >= 0) return true;
  auto all = [&](size_t from) {
    return std::all_of(expr.args.begin() + static_cast<ptrdiff_t>(from),
                       expr.args.end(),
                       [&](const Expr& arg) { return NeverNegative(arg); });
  };
  switch (expr.kind) {
    case ExprKind::kName:
      return OfName(expr);
    case ExprKind::kCall:
      return all(0);
    case ExprKind::kSelect:
      return all(1);
    case ExprKind::kBinary:
      return IsBinary(expr, ExprOp::kSub)
                 ? OfDifference(expr.args[0], expr.args[1])
                 : OfBinary(expr);
    default:
      return false;
  }
}

bool Signs::OfName(const Expr& name) const {
  if (name.name_kind == NameKind::kBuiltin) return true;
  return ranges_.values().contains(name.slot) && !negative_.contains(name.slot);
}

bool Signs::OfBinary(const Expr& expr) const {
  switch (expr.op) {
    case ExprOp::kMul:
    case ExprOp::kDiv:
    case ExprOp::kRem:
    case ExprOp::kAdd:
    case ExprOp::kShr:
      return NeverNegative(expr.args[0]) && NeverNegative(expr.args[1]);
    default:
      return false;
  }
}

bool Signs::IsSteady(const Expr& expr) const {
  if (expr.kind == ExprKind::kName && expr.name_kind != NameKind::kBuiltin) {
    auto values = ranges_.values().find(expr.slot);
    if (ranges_.IsSetByOp(expr.slot)) return false;
    if (values == ranges_.values().end() || ranges_.IsCounter(expr.slot))
      return true;
    return values->second.size() == 1 && IsSteady(*values->second[0]);
  }
  return std::all_of(expr.args.begin(), expr.args.end(),
                     [&](const Expr& arg) { return IsSteady(arg); });
}

// Of a variable that is set again its text means another number later.
const Expr& Signs::Meant(const Expr& expr) const {
  if (expr.kind != ExprKind::kName || expr.name_kind == NameKind::kBuiltin)
    return expr;
  auto values = ranges_.values().find(expr.slot);
  const bool let = values != ranges_.values().end() &&
                   !ranges_.IsCounter(expr.slot) && IsSteady(expr);
  return let ? Meant(*values->second[0]) : expr;
}

bool Signs::OfDifference(const Expr& x_text, const Expr& y_text) const {
  const Expr &x = Meant(x_text), &y = Meant(y_text);
  if (x == y) return true;
  if (y.kind == ExprKind::kCall && y.name == "min" &&
      std::any_of(y.args.begin(), y.args.end(),
                  [&](const Expr& arg) { return OfDifference(x, arg); }))
    return true;
  // What is left is less than what it is divided by.
  if (IsBinary(y, ExprOp::kRem) && NeverNegative(y.args[0]) &&
      OfDifference(x, y.args[1]))
    return true;
  if (IsBinary(x, ExprOp::kAdd)) {
    for (int i : {0, 1}) {
      if (NeverNegative(x.args[1 - i]) && OfDifference(x.args[i], y))
        return true;
    }
  }
  if (IsBinary(x, ExprOp::kSub) && x.args[1].is_int(1) &&
      IsPlaceIn(y, x.args[0]))
    return true;
  return OfQuotients(x, y);
}

// a * n against b * n, a / p against b / p.
bool Signs::OfQuotients(const Expr& x, const Expr& y) const {
  const bool alike = x.kind == ExprKind::kBinary && y.kind == x.kind &&
                     x.op == y.op &&
                     (x.op == ExprOp::kMul || x.op == ExprOp::kDiv);
  return alike && Meant(x.args[1]) == Meant(y.args[1]) &&
         NeverNegative(x.args[1]) && NeverNegative(y.args[0]) &&
         OfDifference(x.args[0], y.args[0]);
}

}  // namespace tilesim::hwtests
