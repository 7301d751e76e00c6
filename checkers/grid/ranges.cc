#include "checkers/grid/ranges.h"

#include <algorithm>
#include <utility>

#include "checkers/grid/range_arithmetic.h"
#include "checkers/grid/text.h"
#include "checkers/proof/condition.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

// Rounds until ends that still move are taken to have no end.
constexpr int kRounds = 70;
constexpr int kMostSteps = 20'000;

// Nobody is there: nullopt.
using State = std::optional<Ranges>;

State United(const State& a, const State& b) {
  if (!a || !b) return a ? a : b;
  Ranges out;
  for (const auto& [slot, range] : *a) {
    const auto other = b->find(slot);
    if (other == b->end()) continue;
    const Range both = United(range, other->second);
    if (both.known()) out[slot] = both;
  }
  return out;
}

class Execution {
 public:
  Execution(const std::set<int32_t>& set,
            absl::FunctionRef<Range(const Expr&)> outside)
      : set_(set), outside_(outside) {}

  // As each iteration begins; what holds behind the loop as well, if `exit`.
  // `enters`: what makes an iteration of the state at its front.
  template <typename Enters>
  State Loop(const ir::Block& body, const State& before, const Enters& enters,
             State* exit) {
    State head = before;
    for (int round = 0;; ++round) {
      Jumps jumps;
      State end = Walk(body, enters(head), &jumps);
      State next = United(head, United(end, jumps.next));
      if (exit != nullptr) *exit = jumps.exit;
      const bool kept =
          next == head || !proof::IsJudged(proof::Condition::kStaysInRange);
      if (kept) return head;
      if (gave_up()) return Ranges();
      if (round >= kRounds) Widen(*head, *next);
      head = std::move(next);
    }
  }

  bool gave_up() const { return steps_ > kMostSteps; }

 private:
  struct Jumps {
    State next, exit;  // of who goes on, and who leaves
  };

  static void Widen(const Ranges& was, Ranges& now) {
    for (auto& [slot, range] : now) {
      const auto before = was.find(slot);
      if (before == was.end() || before->second.low != range.low)
        range.low.reset();
      if (before == was.end() || before->second.high != range.high)
        range.high.reset();
    }
    std::erase_if(now, [](const auto& r) { return !r.second.known(); });
  }

  State Walk(const ir::Block& block, State state, Jumps* jumps) {
    for (const Stmt& s : block) {
      ++steps_;
      if (!state || gave_up()) return state;
      state = One(s, *std::move(state), jumps);
    }
    return state;
  }

  State One(const Stmt& s, Ranges state, Jumps* jumps) {
    switch (s.kind) {
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        Set(s.slot, Of(s.value, state), state);
        return state;
      case Stmt::Kind::kIf:
        return United(Walk(s.body, Holds(s.value, true, state), jumps),
                      Walk(s.orelse, Holds(s.value, false, state), jumps));
      case Stmt::Kind::kFor:
        return For(s, state);
      case Stmt::Kind::kWhile:
        return While(s, state);
      case Stmt::Kind::kScope:
        return United(state, Walk(s.body, state, jumps));
      case Stmt::Kind::kBreak:
        jumps->exit = United(jumps->exit, state);
        return std::nullopt;
      case Stmt::Kind::kContinue:
        jumps->next = United(jumps->next, state);
        return std::nullopt;
      case Stmt::Kind::kOp:
        for (size_t i = 0; i < s.op->operands.size(); ++i) {
          if (IsVariable(*s.op, i)) state.erase(s.op->operands[i].expr.slot);
        }
        return state;
      case Stmt::Kind::kDecl:
        return state;
      case Stmt::Kind::kCall:
      case Stmt::Kind::kReturn:
        return Ranges();
    }
    return Ranges();
  }

  static void Set(int32_t slot, const Range& range, Ranges& state) {
    state.erase(slot);
    if (range.known()) state[slot] = range;
  }

  State For(const Stmt& s, const Ranges& before) {
    const Range low = Of(s.low, before);
    const Range step = s.step ? Of(*s.step, before) : Range{1, 1};
    const bool up =
        step.low && *step.low >= 1 && !(s.step && Mentions(*s.step, set_));
    State exit;
    const State head = Loop(
        s.body, before,
        [&](const State& state) {
          if (!state) return state;
          State out = state;
          const Range high = Of(s.high, *state);
          Range counter = Where(ExprOp::kLt, {}, high);
          if (up) counter.low = low.low;
          Set(s.slot, counter, *out);
          return IsEmpty(counter) ? State() : out;
        },
        &exit);
    return Without(s.slot, United(head, exit));
  }

  static State Without(int32_t slot, State state) {
    if (state) state->erase(slot);
    return state;
  }

  State While(const Stmt& s, const Ranges& before) {
    State exit;
    const State head = Loop(
        s.body, before,
        [&](const State& state) {
          return state ? Holds(s.value, true, *state) : state;
        },
        &exit);
    return United(head ? Holds(s.value, false, *head) : head, exit);
  }

  Range Of(const Expr& e, const Ranges& state) {
    switch (e.kind) {
      case ExprKind::kInt:
        return {e.value, e.value};
      case ExprKind::kFloat:
        return {};
      case ExprKind::kName: {
        const int32_t slot = ir::SlotOf(e);
        if (!set_.contains(slot)) return outside_(e);
        const auto known = state.find(slot);
        return known == state.end() ? Range() : known->second;
      }
      case ExprKind::kUnary: {
        if (e.op == ExprOp::kNot) return {0, 1};
        const Range negated = Negated(Of(e.args[0], state));
        return e.op == ExprOp::kNeg ? negated
                                    : Applied(ExprOp::kSub, negated, {1, 1});
      }
      case ExprKind::kBinary:
        return Applied(e.op, Of(e.args[0], state), Of(e.args[1], state));
      case ExprKind::kSelect: {
        const State yes = Holds(e.args[0], true, state);
        const State no = Holds(e.args[0], false, state);
        if (!yes || !no)
          return yes ? Of(e.args[1], *yes) : no ? Of(e.args[2], *no) : Range();
        return grid::United(Of(e.args[1], *yes), Of(e.args[2], *no));
      }
      case ExprKind::kCall:
        return e.args.size() == 2
                   ? Called(e.name, Of(e.args[0], state), Of(e.args[1], state))
                   : Range();
    }
    return {};
  }

  // The state where the condition is `truth`.
  State Holds(const Expr& e, bool truth, const Ranges& state) {
    if (e.kind == ExprKind::kUnary && e.op == ExprOp::kNot)
      return Holds(e.args[0], !truth, state);
    if (e.kind != ExprKind::kBinary) return state;
    if (e.op == ExprOp::kAnd || e.op == ExprOp::kOr) {
      const bool both = truth == (e.op == ExprOp::kAnd);
      State first = Holds(e.args[0], truth, state);
      if (both) return first ? Holds(e.args[1], truth, *first) : first;
      const State other = Holds(e.args[0], !truth, state);
      return United(first, other ? Holds(e.args[1], truth, *other) : other);
    }
    const ExprOp op = truth ? e.op : Opposite(e.op);
    if (Opposite(e.op) == ExprOp::kNone) return state;
    State out = state;
    for (bool turned : {false, true}) {
      const Expr& name = e.args[turned ? 1 : 0];
      const int32_t slot = ir::SlotOf(name);
      if (!set_.contains(slot)) continue;
      const Range rest = Where(turned ? Turned(op) : op, Of(name, state),
                               Of(e.args[turned ? 0 : 1], state));
      if (IsEmpty(rest)) return std::nullopt;
      Set(slot, rest, *out);
    }
    return out;
  }

  const std::set<int32_t>& set_;
  absl::FunctionRef<Range(const Expr&)> outside_;
  int steps_ = 0;
};

}  // namespace

Ranges RangesIn(const ir::Block& body, const std::set<int32_t>& set,
                const Ranges& before,
                absl::FunctionRef<Range(const Expr& name)> outside) {
  Execution execution(set, outside);
  State head = execution.Loop(
      body, State(before), [](const State& s) { return s; }, nullptr);
  return head && !execution.gave_up() ? *std::move(head) : Ranges();
}

}  // namespace tilesim::checkers::grid
