#include "checkers/sizes/partition/positive.h"

#include <algorithm>

#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;

namespace {

bool IsExtent(const Expr& e) {
  if (e.name_kind != NameKind::kBuiltin) return false;
  const auto which = static_cast<Builtin>(e.slot);
  return which == Builtin::kGridX || which == Builtin::kGridY ||
         which == Builtin::kGridZ || which == Builtin::kClusterSize ||
         which == Builtin::kSmCount;
}

}  // namespace

Positive::Positive(const ir::Overrides& defines, const ir::Kernel& kernel)
    : known_(defines, kernel) {
  for (const ir::Constant& c : kernel.constants) {
    if (c.is_let) lets_[c.slot] = c.value;
  }
  for (const ir::Param& p : kernel.params) lows_[p.slot] = p.low;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    if (s.kind == ir::Stmt::Kind::kLet) lets_[s.slot] = s.value;
  });
}

const Expr* Positive::LetOf(const Expr& e) const {
  auto let = lets_.find(ir::SlotOf(e));
  return let == lets_.end() ? nullptr : &let->second;
}

bool Positive::Is(const Expr& e) const {
  if (auto number = known_.Of(e)) return *number > 0;
  if (const Expr* let = LetOf(e)) return Is(*let);
  if (e.kind == ExprKind::kName) {
    auto low = lows_.find(e.slot);
    bool size = e.name_kind == NameKind::kParam && low != lows_.end();
    return (size && low->second > 0) || IsExtent(e);
  }
  if (e.kind == ExprKind::kBinary && e.op == ir::ExprOp::kAdd) {
    const Expr &a = e.args[0], &b = e.args[1];
    return (Is(a) && IsNatural(b)) || (IsNatural(a) && Is(b));
  }
  // A parameter that is no less than what it is divided by.
  if (e.kind == ExprKind::kBinary && e.op == ir::ExprOp::kDiv) {
    const auto by = known_.Of(e.args[1]);
    const auto low = lows_.find(ir::SlotOf(e.args[0]));
    return by && *by > 0 && low != lows_.end() && low->second >= *by;
  }
  bool keeps = e.kind == ExprKind::kCall ||
               (e.kind == ExprKind::kBinary && e.op == ir::ExprOp::kMul);
  return keeps && !e.args.empty() &&
         std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return Is(arg); });
}

bool Positive::IsNatural(const Expr& e) const {
  if (auto number = known_.Of(e)) return *number >= 0;
  if (const Expr* let = LetOf(e)) return IsNatural(*let);
  if (e.kind == ExprKind::kName) {
    auto low = lows_.find(e.slot);
    bool size = e.name_kind == NameKind::kParam && low != lows_.end();
    return e.name_kind == NameKind::kBuiltin || (size && low->second >= 0);
  }
  using enum ir::ExprOp;
  bool keeps = e.kind == ExprKind::kCall ||
               (e.kind == ExprKind::kBinary &&
                (e.op == kMul || e.op == kAdd || e.op == kDiv || e.op == kRem));
  return keeps && !e.args.empty() &&
         std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return IsNatural(arg); });
}

}  // namespace tilesim::checkers::sizes::partition
