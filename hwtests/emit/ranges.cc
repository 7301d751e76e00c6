#include "hwtests/emit/ranges.h"

#include <algorithm>
#include <limits>

#include "ir/op.h"
#include "ir/warp.h"

namespace tilesim::hwtests {
namespace {

using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;
using Wide = __int128;

constexpr int64_t kFar = int64_t{1} << 62;

int64_t Cut(Wide v) {
  return static_cast<int64_t>(std::clamp<Wide>(v, -kFar, kFar));
}

Range Hull(std::initializer_list<Wide> all) {
  return {Cut(std::min(all)), Cut(std::max(all))};
}

Range Union(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range Product(const Range& a, const Range& b) {
  return Hull({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
               Wide{a.high} * b.high});
}

// Nothing goes on after a division by 0.
std::optional<Range> Quotient(const Range& a, Range b) {
  b.low = std::max<int64_t>(b.low, 1);
  if (b.high < b.low) return std::nullopt;
  return Hull({Wide{a.low} / b.low, Wide{a.low} / b.high, Wide{a.high} / b.low,
               Wide{a.high} / b.high});
}

std::optional<Range> Remainder(const std::optional<Range>& a, const Range& b) {
  int64_t most = std::max(b.high, -b.low) - 1;
  if (!a) return Range{-most, most};
  return Range{a->low < 0 ? std::max(a->low, -most) : 0,
               a->high > 0 ? std::min(a->high, most) : 0};
}

std::optional<Range> Combined(ExprOp op, const Range& a, const Range& b) {
  switch (op) {
    case ExprOp::kMul:
      return Product(a, b);
    case ExprOp::kAdd:
      return Hull({Wide{a.low} + b.low, Wide{a.high} + b.high});
    case ExprOp::kSub:
      return Hull({Wide{a.low} - b.high, Wide{a.high} - b.low});
    case ExprOp::kDiv:
      return Quotient(a, b);
    case ExprOp::kShl:
      if (b.low < 0 || b.high > 62) return std::nullopt;
      return Product(a, {int64_t{1} << b.low, int64_t{1} << b.high});
    case ExprOp::kShr:
      if (b.low < 0 || b.high > 62) return std::nullopt;
      return Hull(
          {a.low >> b.low, a.low >> b.high, a.high >> b.low, a.high >> b.high});
    default:
      return std::nullopt;
  }
}

bool IsTruth(ExprOp op) {
  constexpr ExprOp kTruths[] = {ExprOp::kLt,  ExprOp::kLe, ExprOp::kGt,
                                ExprOp::kGe,  ExprOp::kEq, ExprOp::kNe,
                                ExprOp::kAnd, ExprOp::kOr, ExprOp::kNot};
  return std::find(std::begin(kTruths), std::end(kTruths), op) !=
         std::end(kTruths);
}

}  // namespace

Ranges::Ranges(const ir::BoundKernel& bound) : bound_(bound) {
  for (const ir::Constant& c : bound.kernel->constants) {
    if (c.is_let) values_[c.slot].push_back(&c.value);
  }
  Visit(bound.kernel->body);
}

void Ranges::VisitOp(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) != 0)
      of_ops_.insert(op.operands[i].expr.slot);
  }
}

void Ranges::Visit(const ir::Block& block) {
  for (const Stmt& s : block) {
    bool sets = s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar ||
                s.kind == Stmt::Kind::kAssign;
    if (sets) values_[s.slot].push_back(&s.value);
    if (s.kind == Stmt::Kind::kFor) {
      values_[s.slot] = {&s.low, &s.high};
      counters_.insert(s.slot);
    }
    if (s.op) VisitOp(*s.op);
    Visit(s.body);
    Visit(s.orelse);
  }
}

bool Ranges::LeavesInt(const Expr& expr) const {
  std::optional<Range> r = Of(expr);
  return r && (r->low < std::numeric_limits<int32_t>::min() ||
               r->high > std::numeric_limits<int32_t>::max());
}

std::optional<Range> Ranges::Of(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::kInt:
      return Hull({expr.value});
    case ExprKind::kFloat:
      return std::nullopt;
    case ExprKind::kName:
      return OfName(expr);
    case ExprKind::kCall:
      return OfCall(expr);
    case ExprKind::kBinary:
      return OfBinary(expr);
    case ExprKind::kUnary: {
      if (IsTruth(expr.op)) return Range{0, 1};
      std::optional<Range> a = Of(expr.args[0]);
      if (!a || expr.op != ExprOp::kNeg) return std::nullopt;
      return Range{-a->high, -a->low};
    }
    case ExprKind::kSelect:
      break;
  }
  std::optional<Range> a = Of(expr.args[1]), b = Of(expr.args[2]);
  if (!a || !b) return std::nullopt;
  return Union(*a, *b);
}

std::optional<Range> Ranges::OfName(const Expr& expr) const {
  if (expr.name_kind == NameKind::kBuiltin)
    return OfBuiltin(static_cast<Builtin>(expr.slot));
  if (expr.slot < 0) return std::nullopt;
  for (const ir::Param& p : bound_.kernel->params) {
    if (p.slot != expr.slot) continue;
    int64_t number = bound_.slots[p.slot]->number;
    return Hull({p.low, number, p.high.value_or(number)});
  }
  if (expr.name_kind == NameKind::kConst) {
    const std::optional<ir::Value>& value = bound_.slots[expr.slot];
    if (!value || value->is_float) return std::nullopt;
    return Hull({value->number});
  }
  auto [at, fresh] = known_.try_emplace(expr.slot);
  if (!fresh) return at->second;
  std::optional<Range> range = OfSlot(expr.slot);
  known_[expr.slot] = range;
  return range;
}

std::optional<Range> Ranges::OfSlot(int32_t slot) const {
  auto values = values_.find(slot);
  if (values == values_.end() || of_ops_.contains(slot)) return std::nullopt;
  std::optional<Range> out;
  for (const Expr* value : values->second) {
    std::optional<Range> r = Of(*value);
    if (!r) return std::nullopt;
    out = out ? Union(*out, *r) : *r;
  }
  if (counters_.contains(slot)) out->high = std::max(out->low, out->high - 1);
  return out;
}

std::optional<Range> Ranges::OfBuiltin(Builtin builtin) const {
  auto below = [](int64_t n) { return Range{0, std::max<int64_t>(n - 1, 0)}; };
  auto along = [this](size_t d) -> std::optional<Range> {
    const std::vector<Expr>& grid = bound_.kernel->grid;
    return d < grid.size() ? Of(grid[d]) : Range{1, 1};
  };
  auto at = [&](size_t d) -> std::optional<Range> {
    std::optional<Range> size = along(d);
    if (!size) return std::nullopt;
    return below(size->high);
  };
  switch (builtin) {
    case Builtin::kCtaX:
    case Builtin::kClusterIdX:
      return at(0);
    case Builtin::kCtaY:
    case Builtin::kClusterIdY:
      return at(1);
    case Builtin::kCtaZ:
      return at(2);
    case Builtin::kGridX:
      return along(0);
    case Builtin::kGridY:
      return along(1);
    case Builtin::kGridZ:
      return along(2);
    case Builtin::kClusterRank:
      return below(bound_.cluster_size());
    case Builtin::kClusterSize:
      return Range{1, bound_.cluster_size()};
    case Builtin::kWarp:
    case Builtin::kWarpgroup:
      return below(ir::WarpsOf(bound_.block));
    case Builtin::kSmCount:
      return Range{1, bound_.sm_count};
  }
  return std::nullopt;
}

std::optional<Range> Ranges::OfBinary(const Expr& expr) const {
  if (IsTruth(expr.op)) return Range{0, 1};
  std::optional<Range> a = Of(expr.args[0]), b = Of(expr.args[1]);
  if (expr.op == ExprOp::kBitAnd) {
    bool of_a = a && a->low >= 0, of_b = b && b->low >= 0;
    if (!of_a && !of_b) return std::nullopt;
    int64_t most = kFar;
    if (of_a) most = std::min(most, a->high);
    if (of_b) most = std::min(most, b->high);
    return Range{0, most};
  }
  if (!b) return std::nullopt;
  if (expr.op == ExprOp::kRem) return Remainder(a, *b);
  if (!a) return std::nullopt;
  return Combined(expr.op, *a, *b);
}

std::optional<Range> Ranges::OfCall(const Expr& expr) const {
  if (expr.name == "bytes") return std::nullopt;
  std::optional<Range> a = Of(expr.args[0]), b = Of(expr.args[1]);
  if (!a || !b) return std::nullopt;
  if (expr.name == "min")
    return Range{std::min(a->low, b->low), std::min(a->high, b->high)};
  if (expr.name == "max")
    return Range{std::max(a->low, b->low), std::max(a->high, b->high)};
  std::optional<Range> q = Quotient(*a, *b);
  if (q) ++q->high;
  return q;
}

}  // namespace tilesim::hwtests
