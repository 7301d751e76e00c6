#include "checkers/pipeline/text_ends.h"

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;

namespace {

constexpr int64_t kSmall = (int64_t{1} << 31) - 1;

// Of a natural number.
int64_t RoundedUp(int64_t a, int64_t by) { return a / by + (a % by != 0); }

}  // namespace

// cdiv(n, 32)
bool TextEnds::IsRoundedUp(const Expr& e) const {
  return e.kind == ExprKind::kCall && e.name == "cdiv" &&
         known_.Of(e.args[1]).value_or(0) >= 1;
}

std::optional<int64_t> TextEnds::MostOf(const Expr& e, bool small) const {
  std::optional<int64_t> out = known_.Of(e);
  if (!out && e.kind == ExprKind::kName) out = MostOfName(e, small);
  if (!out && e.kind == ExprKind::kBinary) {
    const auto a = MostOf(e.args[0], small), b = MostOf(e.args[1], small);
    if (a && b && e.op == ExprOp::kAdd) out = *a + *b;
    if (a && b && e.op == ExprOp::kMul) out = *a * *b;
    const auto by = known_.Of(e.args[1]);
    if (a && by.value_or(0) >= 1 && e.op == ExprOp::kDiv) out = *a / *by;
  }
  if (!out && IsRoundedUp(e)) {
    const auto a = MostOf(e.args[0], small);
    if (a) out = RoundedUp(*a, *known_.Of(e.args[1]));
  }
  return out && *out >= 0 && *out <= kSmall ? out : std::nullopt;
}

std::optional<int64_t> TextEnds::MostOfName(const Expr& e, bool small) const {
  for (const ir::Param& p : kernel_.params) {
    if (p.slot != ir::SlotOf(e) || p.low < 0) continue;
    if (p.high) return p.high;
    return small ? std::optional(kSmall) : std::nullopt;
  }
  for (const ir::Constant& c : kernel_.constants) {
    if (c.slot == ir::SlotOf(e)) return MostOf(c.value, small);
  }
  return std::nullopt;
}

std::optional<int64_t> TextEnds::LeastOf(const Expr& e) const {
  std::optional<int64_t> out = known_.Of(e);
  const int32_t slot = ir::SlotOf(e);
  for (const ir::Param& p : kernel_.params) {
    if (!out && slot >= 0 && p.slot == slot) out = p.low;
  }
  for (const ir::Constant& c : kernel_.constants) {
    if (!out && slot >= 0 && c.slot == slot) out = LeastOf(c.value);
  }
  if (!out && e.kind == ExprKind::kBinary) {
    const auto a = LeastOf(e.args[0]), b = LeastOf(e.args[1]);
    const auto by = known_.Of(e.args[1]);
    const bool natural = a.value_or(-1) >= 0 && b.value_or(-1) >= 0;
    if (natural && e.op == ExprOp::kAdd) out = *a + *b;
    if (natural && e.op == ExprOp::kMul) out = *a * *b;
    if (natural && by.value_or(0) >= 1 && e.op == ExprOp::kDiv) out = *a / *by;
  }
  if (!out && IsRoundedUp(e)) {
    const auto a = LeastOf(e.args[0]);
    if (a.value_or(-1) >= 0) out = RoundedUp(*a, *known_.Of(e.args[1]));
  }
  return out && *out <= kSmall ? out : std::nullopt;
}

}  // namespace tilesim::checkers::pipeline
