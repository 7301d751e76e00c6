#include "checkers/sizes/state/idle_loop.h"

#include <optional>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/sizes/algebra/moved.h"
#include "checkers/sizes/state/symbols.h"
#include "sim/machine/tile_guide.h"

namespace tilesim::checkers::sizes::state {
using algebra::Moved;
using algebra::MovedOn;
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbolic;
using ir::ExprOp;
using machine::Instr;
using Slots = SymbolicState::Slots;

namespace {

// Instructions of an iteration: it is short, or not idle.
constexpr int kMaxInstrs = 1'000;

class Idle {
 public:
  Idle(const machine::Code& code, SymbolicState& symbolic, int32_t strand,
       const ir::ThreadSet& threads, int32_t test, const machine::Who& who)
      : code_(code),
        symbolic_(symbolic),
        strand_(strand),
        threads_(threads),
        test_(test),
        who_(who) {}

  bool Pass() {
    const Slots begun = symbolic_.slots(strand_);
    std::optional<Polynomial> more = Iterations();
    if (!more || !Iterate()) return Back(begun);
    std::optional<Slots> step = StepFrom(begun);
    if (!step || !SameWithAnyDone(begun, *step, *more)) return Back(begun);
    // All are done.
    Slots ended = On(begun, *step, Polynomial::Of(kIdle));
    for (Symbolic& s : ended) s.of = s.of.Replace(kIdle, *more);
    Set(ended);
    return true;
  }

 private:
  void Set(const Slots& slots) {
    for (size_t i = 0; i < slots.size(); ++i)
      symbolic_.SetSlot(strand_, static_cast<int32_t>(i), slots[i]);
  }
  bool Back(const Slots& slots) {
    Set(slots);
    return false;
  }
  Symbolic Value(const machine::CompiledExpr& e) {
    return symbolic_.Evaluate(e, strand_, who_);
  }

  // That larger members have, exactly; none is negative.
  std::optional<Polynomial> Iterations() {
    const Instr &test = code_.instrs[test_], &next = code_.instrs[test.b - 1];
    if (next.kind != Instr::Kind::kForNext) return std::nullopt;
    auto high = NumberOf(Value(test.expr));
    auto at = NumberOf(symbolic_.slots(strand_)[test.a]);
    auto step = Value(next.expr).known();
    if (!high || !at || !step || *step <= 0) return std::nullopt;
    auto more = (*high - *at).DividedBy(*step);
    bool natural =
        more && !more->bad() && symbolic_.AtLeast0(*more).value_or(false);
    return natural ? std::move(more) : std::nullopt;
  }

  // One, from the test to the test. False: it executes an op, or what it
  // decides is not the same in all members.
  bool Iterate() {
    int32_t pc = test_ + 1;
    for (int n = 0; n < kMaxInstrs; ++n) {
      if (pc == test_) return true;
      const Instr& i = code_.instrs[pc];
      std::optional<int32_t> next = Next(i, pc);
      if (!next) return false;
      pc = *next;
    }
    return false;
  }

  std::optional<int32_t> Next(const Instr& i, int32_t pc) {
    FamilyArithmetic& arithmetic = symbolic_.arithmetic();
    switch (i.kind) {
      case Instr::Kind::kJump:
        return i.b;
      case Instr::Kind::kSet:
        symbolic_.SetSlot(strand_, i.a, Value(i.expr));
        return pc + 1;
      case Instr::Kind::kForNext:
        symbolic_.SetSlot(
            strand_, i.a,
            algebra::Apply(ExprOp::kAdd, symbolic_.slots(strand_)[i.a],
                           Value(i.expr)));
        return i.b;
      case Instr::Kind::kForTest: {
        auto less = arithmetic.Compute(
            ExprOp::kLt, symbolic_.slots(strand_)[i.a], Value(i.expr));
        return To(less, pc + 1, i.b);
      }
      case Instr::Kind::kBranch:
        return To(arithmetic.Truth(Value(i.expr)), pc + 1, i.b);
      case Instr::Kind::kNarrow:
        return IsOutside(i) ? std::optional(i.b) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  // Whether one of the scopes, or of those that are united, has none of the
  // warps, in all members.
  bool IsOutside(const Instr& narrow) {
    const uint32_t own =
        machine::WarpsOf(ir::Scope::Kind::kWarps, threads_.first_warp,
                         threads_.first_warp + threads_.warps);
    for (int k = 0; k < narrow.count;) {
      bool outside = true;
      do {
        const machine::CompiledScope& scope = code_.scopes[narrow.a + k];
        auto low = Value(scope.low).known(), high = Value(scope.high).known();
        outside &= low && high &&
                   (machine::WarpsOf(scope.kind, *low,
                                     machine::EndOf(scope, *low, *high)) &
                    own) == 0;
      } while (++k < narrow.count && code_.scopes[narrow.a + k].also);
      if (outside) return true;
    }
    return false;
  }

  static std::optional<int32_t> To(const Symbolic& truth, int32_t yes,
                                   int32_t no) {
    std::optional<int64_t> known = truth.known();
    if (!known) return std::nullopt;
    return *known != 0 ? yes : no;
  }

  // nullopt: a scalar has become one of another kind.
  std::optional<Slots> StepFrom(const Slots& begun) const {
    const Slots& now = symbolic_.slots(strand_);
    Slots out(begun.size(), Symbolic::Unknown());
    for (size_t i = 0; i < begun.size(); ++i) {
      if (begun[i].unknown() || now[i].unknown()) continue;
      auto moved = Moved(begun[i], now[i]);
      if (!moved) return std::nullopt;
      out[i] = std::move(*moved);
    }
    return out;
  }

  static Slots On(const Slots& begun, const Slots& step,
                  const Polynomial& times) {
    Slots out(begun.size(), Symbolic::Unknown());
    for (size_t i = 0; i < begun.size(); ++i) {
      if (!step[i].unknown()) out[i] = MovedOn(begun[i], step[i], times);
    }
    return out;
  }

  // With `done` of them done and one, or more, to come: the step of the
  // induction of docs/all_sizes.md 3.8.
  bool SameWithAnyDone(const Slots& begun, const Slots& step,
                       const Polynomial& more) {
    const Polynomial done = Polynomial::Of(kIdle),
                     left = Polynomial::Of(kIdle + 1) + Polynomial(1);
    if (more.constant()) return false;
    if (!proof::IsJudged(proof::Condition::kIdleIterations)) return true;
    FamilyArithmetic& arithmetic = symbolic_.arithmetic();
    const algebra::Facts facts = symbolic_.family().facts;
    algebra::Facts with = facts;
    with.Add(more - done - left);
    with.Add(done + left - more);
    arithmetic.Know(with);
    Set(On(begun, step, done));
    bool same = Iterate();
    arithmetic.Know(facts);
    if (!same) return false;
    const Slots wanted = On(begun, step, done + Polynomial(1));
    const Slots& now = symbolic_.slots(strand_);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!step[i].unknown() && !(wanted[i] == now[i])) return false;
    }
    return true;
  }

  const machine::Code& code_;
  SymbolicState& symbolic_;
  int32_t strand_;
  const ir::ThreadSet threads_;
  int32_t test_;
  const machine::Who& who_;
};

}  // namespace

bool PassOver(const machine::Code& code, SymbolicState& symbolic,
              int32_t strand, const ir::ThreadSet& threads, int32_t test,
              const machine::Who& who) {
  return Idle(code, symbolic, strand, threads, test, who).Pass();
}

}  // namespace tilesim::checkers::sizes::state
