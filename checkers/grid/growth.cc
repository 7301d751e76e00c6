#include "checkers/grid/growth.h"

#include <utility>

#include "checkers/grid/text.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Expr;
using ir::Stmt;
using solver::All;
using solver::Eq;
using solver::Ge;
using solver::Lt;
using solver::Ne;

Linear SumBefore(Terms& terms, Scalars& scalars, const ByIteration& each,
                 const Linear& iteration) {
  Linear sum, others;
  const auto& all = each.exceptions;
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<Formula> counts{Ge(all[i].iteration, 0),
                                Lt(all[i].iteration, iteration)};
    for (size_t later = i + 1; later < all.size(); ++later) {
      if (scalars.MayHold(Eq(all[i].iteration, all[later].iteration)))
        counts.push_back(Ne(all[i].iteration, all[later].iteration));
    }
    Formula before = All(std::move(counts));
    if (!scalars.MayHold(before)) continue;
    others += terms.Select(before, 1, 0);
    sum = terms.Usable(sum + terms.Select(before, all[i].value, 0));
  }
  Linear usual = terms.Usable(iteration - others);
  scalars.ShowAtLeast(usual, 0);
  return terms.Usable(sum + terms.Multiply(usual, each.usual));
}

Linear IterationsOf(Terms& terms, const Linear& low, const Linear& high,
                    const Linear& step) {
  Linear span = terms.Max(0, terms.Usable(high - low));
  if (step == Linear(1)) return span;
  return terms.Divide(terms.Usable(span + step - 1), step);
}

namespace {

// f of each value.
template <typename F>
ByIteration Mapped(const ByIteration& x, F f) {
  ByIteration out{f(x.usual), {}};
  for (const auto& e : x.exceptions)
    out.exceptions.push_back({e.iteration, f(e.value)});
  return out;
}

bool IsSlot(const Expr& e, int32_t slot) {
  return slot >= 0 && ir::SlotOf(e) == slot;
}

// One walk through the body, for what an iteration adds to one scalar.
class GrowthReader {
 public:
  GrowthReader(const Loop& loop, int32_t slot, Terms& terms, Scalars& scalars)
      : loop_(loop), slot_(slot), terms_(terms), scalars_(scalars) {}

  std::optional<ByIteration> Of(const ir::Block& block) {
    ByIteration sum;
    for (const Stmt& s : block) {
      std::optional<ByIteration> by = One(s);
      by = by ? Plus(sum, *by) : std::nullopt;
      if (!by) return std::nullopt;
      sum = std::move(*by);
    }
    return sum;
  }

 private:
  using Known = std::map<int32_t, ByIteration>;

  std::optional<ByIteration> One(const Stmt& s) {
    if (s.kind == Stmt::Kind::kIf) {
      if (std::optional<Linear> iteration = OneIteration(s.value))
        return If(s, *iteration);
    }
    if (s.slot != slot_ && s.kind != Stmt::Kind::kFor && Sets(s)) {
      Learn(s);
      return ByIteration{};
    }
    std::set<int32_t> set = SetIn(s);
    std::optional<ByIteration> by = ByIteration{};
    if (set.count(slot_) != 0) {
      by = s.kind == Stmt::Kind::kAssign ? Added(s.value)
           : s.kind == Stmt::Kind::kFor  ? OfLoop(s)
                                         : std::nullopt;
    }
    for (int32_t slot : set) known_.erase(slot);
    return by;
  }

  static bool Sets(const Stmt& s) {
    return s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar ||
           s.kind == Stmt::Kind::kAssign;
  }

  void Learn(const Stmt& s) {
    std::optional<ByIteration> value = Value(s.value);
    if (value) {
      known_[s.slot] = std::move(*value);
    } else {
      known_.erase(s.slot);
    }
  }

  // The iteration in which `counter == e` holds, with e known before the loop.
  std::optional<Linear> OneIteration(const Expr& condition) {
    bool equals = condition.kind == ir::ExprKind::kBinary &&
                  condition.op == ir::ExprOp::kEq && loop_.counter >= 0;
    for (size_t i = 0; equals && i < 2; ++i) {
      const Expr& other = condition.args[1 - i];
      if (IsSlot(condition.args[i], loop_.counter) &&
          !Mentions(other, loop_.set))
        return terms_.Usable(scalars_.Value(other) - loop_.low);
    }
    return std::nullopt;
  }

  // One branch in iteration `iteration`, the other in all others.
  std::optional<ByIteration> If(const Stmt& s, const Linear& iteration) {
    Known before = known_;
    std::optional<ByIteration> there = Of(s.body);
    Known then = std::exchange(known_, std::move(before));
    std::optional<ByIteration> elsewhere = Of(s.orelse);
    for (int32_t slot : SetIn(s)) {
      auto a = then.find(slot), b = known_.find(slot);
      bool both = a != then.end() && b != known_.end();
      std::optional<ByIteration> merged;
      if (both) merged = At(iteration, a->second, b->second);
      if (merged) {
        b->second = std::move(*merged);
      } else {
        known_.erase(slot);
      }
    }
    if (!there || !elsewhere) return std::nullopt;
    return At(iteration, *there, *elsewhere);
  }

  static std::optional<ByIteration> At(const Linear& iteration,
                                       const ByIteration& there,
                                       ByIteration elsewhere) {
    if (!there.exceptions.empty()) return std::nullopt;
    bool same = elsewhere.exceptions.empty() && there.usual == elsewhere.usual;
    if (!same) elsewhere.exceptions.push_back({iteration, there.usual});
    return elsewhere;
  }

  std::optional<ByIteration> Plus(const ByIteration& a, const ByIteration& b) {
    if (!a.exceptions.empty() && !b.exceptions.empty()) return std::nullopt;
    const ByIteration& one = a.exceptions.empty() ? a : b;
    const ByIteration& more = a.exceptions.empty() ? b : a;
    return Mapped(
        more, [&](const Linear& x) { return terms_.Usable(x + one.usual); });
  }

  std::optional<ByIteration> Value(const Expr& e) {
    if (!Mentions(e, loop_.set)) return ByIteration{scalars_.Value(e), {}};
    for (const auto& [slot, value] : known_) {
      if (IsSlot(e, slot)) return value;
    }
    return std::nullopt;
  }

  // Of a loop in the body: as often as it goes around in the iteration.
  std::optional<ByIteration> OfLoop(const Stmt& s) {
    bool jumps = Jumps(s.body, Stmt::Kind::kBreak) ||
                 Jumps(s.body, Stmt::Kind::kContinue);
    bool fixed = !Mentions(s.low, loop_.set) &&
                 (!s.step || !Mentions(*s.step, loop_.set));
    std::optional<ByIteration> high = Value(s.high);
    if (jumps || !fixed || !high) return std::nullopt;
    for (int32_t slot : SetIn(s.body)) {
      if (Mentions(s.high, {slot})) return std::nullopt;
      known_.erase(slot);
    }
    std::optional<ByIteration> by = Of(s.body);
    Linear low = scalars_.Value(s.low);
    Linear step = s.step ? scalars_.Value(*s.step) : Linear(1);
    bool uniform = by && by->exceptions.empty();
    if (!uniform || terms_.Low(step).value_or(0) < 1) return std::nullopt;
    return Mapped(*high, [&](const Linear& end) {
      return terms_.Multiply(IterationsOf(terms_, low, end, step), by->usual);
    });
  }

  // x = x + e, x = e + x, x = x - e.
  std::optional<ByIteration> Added(const Expr& e) {
    if (e.kind != ir::ExprKind::kBinary) return std::nullopt;
    bool plus = e.op == ir::ExprOp::kAdd, minus = e.op == ir::ExprOp::kSub;
    bool left = (plus || minus) && IsSlot(e.args[0], slot_);
    bool right = plus && IsSlot(e.args[1], slot_);
    if (!left && !right) return std::nullopt;
    std::optional<ByIteration> by = Value(left ? e.args[1] : e.args[0]);
    if (!by || !minus) return by;
    return Mapped(*by, [](const Linear& x) { return -x; });
  }

  const Loop& loop_;
  const int32_t slot_;
  Terms& terms_;
  Scalars& scalars_;
  Known known_;  // of this iteration, at this point of the text
};

}  // namespace

Growth GrowthIn(const Loop& loop, Terms& terms, Scalars& scalars) {
  Growth out;
  if (Jumps(*loop.body, Stmt::Kind::kContinue)) return out;
  for (int32_t slot : loop.set) {
    if (!scalars.Has(slot)) continue;  // of the body itself
    std::optional<ByIteration> by =
        GrowthReader(loop, slot, terms, scalars).Of(*loop.body);
    if (by) out.emplace(slot, std::move(*by));
  }
  return out;
}

}  // namespace tilesim::checkers::grid
