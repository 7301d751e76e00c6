#include "hwtests/emit/ranges.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ir/op.h"
#include "ir/values/dtype.h"
#include "ir/values/seeded.h"
#include "ir/warp.h"

namespace tilesim::hwtests {
namespace {

using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

Range Hull(std::initializer_list<Wide> all) {
  return {CutOff(std::min(all)), CutOff(std::max(all))};
}

// The next power of two.
int64_t Above(int64_t n) {
  return n >= kFar ? kFar
                   : static_cast<int64_t>(
                         std::bit_ceil(static_cast<uint64_t>(n) + 1));
}

Range Union(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range Product(const Range& a, const Range& b) {
  return Hull({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
               Wide{a.high} * b.high});
}

// Nothing goes on after a division by 0.
Range Quotient(const Range& a, Range b) {
  if (b.low < 0) return Hull({a.low, -Wide{a.low}, a.high, -Wide{a.high}, 0});
  b.low = std::max<int64_t>(b.low, 1);
  b.high = std::max<int64_t>(b.high, 1);
  return Hull({Wide{a.low} / b.low, Wide{a.low} / b.high, Wide{a.high} / b.low,
               Wide{a.high} / b.high});
}

std::optional<Range> Remainder(const std::optional<Range>& a, const Range& b) {
  int64_t most = std::max(b.high, -b.low) - 1;
  if (!a) return Range{-most, most};
  return Range{a->low < 0 ? std::max(a->low, -most) : 0,
               a->high > 0 ? std::min(a->high, most) : 0};
}

// Nothing goes on after one by less than 0 or more than 62.
Range Shift(const Range& by) {
  return {std::clamp<int64_t>(by.low, 0, 62),
          std::clamp<int64_t>(by.high, 0, 62)};
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
    case ExprOp::kShl: {
      const Range by = Shift(b);
      return Product(a, {int64_t{1} << by.low, int64_t{1} << by.high});
    }
    case ExprOp::kShr: {
      const Range by = Shift(b);
      return Hull({a.low >> by.low, a.low >> by.high, a.high >> by.low,
                   a.high >> by.high});
    }
    case ExprOp::kBitOr:
    case ExprOp::kBitXor:
      if (a.low < 0 || b.low < 0) return std::nullopt;
      return Range{0, Above(std::max(a.high, b.high)) - 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

bool IsTruth(ExprOp op) {
  constexpr ExprOp kTruths[] = {ExprOp::kLt,  ExprOp::kLe, ExprOp::kGt,
                                ExprOp::kGe,  ExprOp::kEq, ExprOp::kNe,
                                ExprOp::kAnd, ExprOp::kOr, ExprOp::kNot};
  return std::find(std::begin(kTruths), std::end(kTruths), op) !=
         std::end(kTruths);
}

Ranges::Ranges(const ir::BoundKernel& bound,
               const std::set<std::string>& written)
    : bound_(bound), written_(written) {
  for (const ir::Constant& c : bound.kernel->constants) {
    if (c.is_let) values_[c.slot].push_back(&c.value);
  }
  Visit(bound.kernel->body, false);
  FindFloats();
}

void Ranges::VisitOp(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) == 0) continue;
    const int32_t slot = op.operands[i].expr.slot;
    std::optional<Range> r = RangeOfOp(op);
    auto [at, fresh] = of_ops_.try_emplace(slot, r);
    if (!fresh && r && at->second) at->second = Union(*at->second, *r);
    if (!r) at->second = std::nullopt;
  }
}

// By the memory that it reads; of others, whether something is so, or where a
// cluster lies.
std::optional<Range> Ranges::RangeOfOp(const ir::Op& op) {
  if (op.info->kind == ir::OpKind::kClcQueryCancel) {
    Range out{0, 1};
    for (const Expr& extent : bound_.kernel->grid) {
      std::optional<Range> r = Of(extent);
      out.high = std::max(
          out.high, r ? r->high - 1 : std::numeric_limits<int32_t>::max());
    }
    return out;
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::Operand& o = op.operands[i];
    if (o.kind != ir::Operand::Kind::kRef) continue;
    const ir::Decl& d = bound_.kernel->decls[o.ref.decl];
    if (d.space == ir::Space::kMbarrier) return Range{0, 1};
    if (values::IsFloat(d.dtype)) {
      MarkFloats(op);
      return std::nullopt;
    }
    const values::IntegerRange holds = values::RangeOf(d.dtype);
    Range out{std::max(holds.lo, -kFar), std::min(holds.hi, kFar)};
    // A domain is of what is there at the beginning.
    if (op.info->kind != ir::OpKind::kLd || !d.domain_low ||
        written_.contains(d.name))
      return out;
    std::optional<Range> low = Of(*d.domain_low), high = Of(*d.domain_high);
    return low && high ? Range{low->low, high->high} : out;
  }
  return std::nullopt;
}

void Ranges::MarkFloats(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) != 0)
      floats_.insert(op.operands[i].expr.slot);
  }
}

void Ranges::Visit(const ir::Block& block, bool sometimes) {
  for (const Stmt& s : block) {
    bool sets = s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar ||
                s.kind == Stmt::Kind::kAssign;
    if (sets) {
      values_[s.slot].push_back(&s.value);
      settings_[s.slot].push_back({&s.value, loops_, sometimes});
    }
    const bool loop =
        s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    if (s.kind == Stmt::Kind::kFor) {
      values_[s.slot] = {&s.low, &s.high};
      counters_[s.slot] = s.step ? &*s.step : nullptr;
    }
    if (s.op) VisitOp(*s.op);
    if (loop) loops_.push_back(&s);
    // Threads outside a scope pass it by.
    const bool some = s.kind == Stmt::Kind::kIf ||
                      s.kind == Stmt::Kind::kScope || (!loop && sometimes);
    Visit(s.body, some);
    Visit(s.orelse, some);
    if (loop) loops_.pop_back();
  }
}

void Ranges::FindFloats() {
  for (size_t before = SIZE_MAX; before != floats_.size();) {
    before = floats_.size();
    for (const auto& [slot, values] : values_) {
      if (std::any_of(values.begin(), values.end(),
                      [this](const Expr* e) { return IsFloat(*e); }))
        floats_.insert(slot);
    }
  }
}

bool Ranges::IsFloat(const Expr& e) const {
  if (e.kind == ExprKind::kFloat) return true;
  if (e.kind == ExprKind::kName) {
    if (e.slot < 0 || e.name_kind == NameKind::kBuiltin) return false;
    const auto& value = bound_.slots[e.slot];
    return floats_.contains(e.slot) || (value && value->is_float);
  }
  if (e.kind == ExprKind::kCall && e.name == "bytes") return false;
  if (IsTruth(e.op)) return false;
  const size_t from = e.kind == ExprKind::kSelect ? 1 : 0;
  return std::any_of(e.args.begin() + static_cast<ptrdiff_t>(from),
                     e.args.end(),
                     [this](const Expr& arg) { return IsFloat(arg); });
}

bool Ranges::LeavesInt(const Expr& expr) const {
  if (IsFloat(expr)) return false;
  std::optional<Range> r = Of(expr);
  return !r || r->low < std::numeric_limits<int32_t>::min() ||
         r->high > std::numeric_limits<int32_t>::max();
}

bool Ranges::LeavesInt(int32_t slot) const {
  if (floats_.contains(slot)) return false;
  std::optional<Range> r = OfScalar(slot);
  return !r || r->low < std::numeric_limits<int32_t>::min() ||
         r->high > std::numeric_limits<int32_t>::max();
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
      if (!a) return std::nullopt;
      if (expr.op == ExprOp::kBitNot) return Range{-a->high - 1, -a->low - 1};
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
  return OfScalar(expr.slot);
}

// What depends on itself is not known while it is worked out; what is known all
// the same holds.
std::optional<Range> Ranges::OfScalar(int32_t slot) const {
  if (auto at = known_.find(slot); at != known_.end()) return at->second;
  if (unknown_.contains(slot) || !active_.insert(slot).second)
    return std::nullopt;
  std::optional<Range> range = OfSlot(slot);
  active_.erase(slot);
  if (range || active_.empty()) known_[slot] = range;
  if (!range) unknown_.insert(slot);
  if (active_.empty()) unknown_.clear();
  return range;
}

std::optional<Range> Ranges::OfSlot(int32_t slot) const {
  auto values = values_.find(slot);
  if (counters_.contains(slot) && values != values_.end()) {
    std::optional<Range> low = Of(*values->second[0]),
                         high = Of(*values->second[1]);
    const Expr* step = StepOf(slot);
    std::optional<Range> by = step != nullptr ? Of(*step) : Range{1, 1};
    // One that counts down ends where its body leaves it.
    if (!low || !high || !by || by->low < 0) return std::nullopt;
    Range out = Union(*low, *high);
    return Range{out.low, std::max(out.low, out.high - 1)};
  }
  std::optional<Range> out;
  if (auto op = of_ops_.find(slot); op != of_ops_.end()) {
    if (!op->second) return std::nullopt;
    out = op->second;
  }
  if (settings_.contains(slot)) {
    std::optional<Range> set =
        CountedRange(slot, settings_, [this](const Expr& e) { return Of(e); });
    if (!set) return std::nullopt;
    out = out ? Union(*out, *set) : *set;
  } else if (values != values_.end()) {
    for (const Expr* value : values->second) {
      std::optional<Range> r = Of(*value);
      if (!r) return std::nullopt;
      out = out ? Union(*out, *r) : *r;
    }
  }
  return out;
}

std::optional<Range> Ranges::OfBuiltin(Builtin builtin) const {
  auto below = [](int64_t n) { return Range{0, std::max<int64_t>(n - 1, 0)}; };
  auto along = [this](size_t d) -> std::optional<Range> {
    const std::vector<Expr>& grid = bound_.kernel->grid;
    std::optional<Range> size = d < grid.size() ? Of(grid[d]) : Range{1, 1};
    if (!size) return std::nullopt;
    return Range{std::max<int64_t>(size->low, 1),
                 std::max<int64_t>(size->high, 1)};
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
  if (expr.name == "bytes") return BytesOf(expr.args[0].name);
  std::optional<Range> a = Of(expr.args[0]), b = Of(expr.args[1]);
  if (!a || !b) return std::nullopt;
  if (expr.name == "min")
    return Range{std::min(a->low, b->low), std::min(a->high, b->high)};
  if (expr.name == "max")
    return Range{std::max(a->low, b->low), std::max(a->high, b->high)};
  Range q = Quotient(*a, *b);
  ++q.high;
  if (a->low > 0 && b->low > 0) q.low = std::max<int64_t>(q.low, 1);
  return q;
}

std::optional<Range> Ranges::BytesOf(std::string_view name) const {
  for (size_t i = 0; i < bound_.decls.size(); ++i) {
    if (bound_.kernel->decls[i].name == name)
      return Range{0, bound_.decls[i].object_bytes};
  }
  return std::nullopt;
}

}  // namespace tilesim::hwtests
