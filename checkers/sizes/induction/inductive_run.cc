#include "checkers/sizes/induction/inductive_run.h"

#include <algorithm>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/run/pace.h"
#include "checkers/sizes/induction/base_case.h"
#include "checkers/sizes/induction/ring_operands.h"
#include "checkers/sizes/state/state_rotation.h"
#include "ir/cat.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using machine::State;
using run::Event;
using run::Log;
using run::StrandsOf;
using state::Guard;
using state::RingsOf;
using state::SameState;
using state::SymbolicState;

InductiveRun::InductiveRun(const machine::Code& code, SymbolicState symbolic,
                           std::vector<LoopSummary> loops, Symbol fresh,
                           RunNotes* notes)
    : code_(code),
      symbolic_(std::move(symbolic)),
      ops_(code, symbolic_.family()),
      accumulators_(code),
      turned_(RingsOf(code)),
      fresh_(fresh),
      notes_(notes) {
  Replan(std::move(loops));
  symbolic_.OnGuard([notes](const Guard& g) { notes->AddGuard(g); });
}

void InductiveRun::Replan(std::vector<LoopSummary> loops) {
  loops_ = std::move(loops);
  before_.resize(loops_.size());
}

namespace {

// What a CTA draws is one number all through the run (run/ticket.h).
bool DrawsAgain(const Log& log) {
  return log.ticket && std::count_if(log.events.begin(), log.events.end(),
                                     [&](const run::Event& e) {
                                       return e.kind == run::Event::Kind::kOp &&
                                              e.op == log.ticket->op;
                                     }) > 1;
}

}  // namespace

void InductiveRun::Fail(std::string why) {
  if (failed()) return;
  failure_.why = std::move(why);
  failure_.loop = inside();
}

bool InductiveRun::Turn(const State& state, const Log& log) {
  if (symbolic_.mistaken())
    Fail(DrawsAgain(log)
             ? "a CTA draws more than one number of a counter"
             : "our bug: a size does what was shown that it does not");
  if (failed() || symbolic_.undecided()) return false;
  int64_t turn = notes_->turns();
  notes_->BeginTurn(static_cast<int32_t>(log.events.size()));
  notes_->AddScalars(code_, state);
  EndLoops(turn, state, log);
  if (failed()) return false;
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (loops_[i].first() == turn) before_[i] = Variables(state);
  }
  BeginLoops(turn, state);
  return !failed();
}

void InductiveRun::EndLoops(int64_t turn, const State& state, const Log& log) {
  while (!failed() && !open_.empty() && loops_[open_.back().loop].end == turn)
    End(state, log);
}

// Of several that begin here, the longest is the outermost.
void InductiveRun::BeginLoops(int64_t turn, const State& state) {
  std::vector<int32_t> here;
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (loops_[i].begin == turn) here.push_back(static_cast<int32_t>(i));
  }
  std::sort(here.begin(), here.end(), [&](int32_t a, int32_t b) {
    return loops_[a].end > loops_[b].end;
  });
  for (int32_t loop : here) Begin(state, loop);
}

// Scalars that no longer matter are unknown, so that nothing is asked of them.
InductionVariables InductiveRun::Variables(const State& state) {
  InductionVariables out{{}, turned_, ops_.answers()};
  for (int32_t i : StrandsOf(state)) {
    SymbolicState::Slots& live = out.scalars.emplace_back(
        code_.initial_slots.size(), Symbolic::Unknown());
    const SymbolicState::Slots& all = symbolic_.slots(i);
    for (int16_t slot : code_.live[state.strands[i].pc]) live[slot] = all[slot];
    for (const ir::Param& p : code_.kernel().params) live[p.slot] = all[p.slot];
  }
  return out;
}

void InductiveRun::Begin(const State& state, int32_t loop) {
  const LoopSummary& summary = loops_[loop];
  const InductionVariables earlier = std::exchange(before_[loop], {});
  const InductionVariables now = Variables(state);
  Open& open =
      open_.emplace_back(Open{loop, fresh_++, fresh_++, state, {}, {}});
  if (earlier.scalars.size() != now.scalars.size())
    return Fail("threads divide or end in every repeat");
  Polynomial done = Polynomial::Of(open.done);
  open.step = now.StepSince(earlier, summary, code_);
  open.begun = now.MovedOn(open.step, summary, done);
  Assume(state, open.begun);
  // That many are done, and with those that are left they are all.
  symbolic_.arithmetic().Push(
      {summary.iterations, done + Polynomial::Of(open.left)});
}

void InductiveRun::Assume(const State& state,
                          const InductionVariables& variables) {
  std::vector<int32_t> strands = StrandsOf(state);
  for (size_t i = 0; i < strands.size(); ++i) {
    const SymbolicState::Slots& slots = variables.scalars[i];
    for (size_t k = 0; k < slots.size(); ++k)
      symbolic_.SetSlot(strands[i], static_cast<int32_t>(k), slots[k]);
  }
  turned_ = variables.rings;
  ops_.SetAnswers(variables.answers);
  ops_.ForgetWords();
}

void InductiveRun::End(const State& state, const Log& log) {
  const Open& open = open_.back();
  const LoopSummary& loop = loops_[open.loop];
  if (!EndsAsBegun(state, open))
    return Fail("the run does not come back to where it was");
  if (!StandsForMore(log, loop)) return;
  ops_.ForgetWords();
  Symbol done = open.done, left = open.left;
  open_.pop_back();
  symbolic_.arithmetic().Pop();
  ++shown_;
  // All are done; their number is no longer a sum of two.
  Substitute(left, Polynomial());
  Substitute(done, loop.iterations);
}

bool InductiveRun::EndsAsBegun(const State& state, const Open& open) {
  const LoopSummary& loop = loops_[open.loop];
  if (!proof::IsJudged(proof::Condition::kSameState)) return true;
  if (!SameState(code_, open.state, state, loop.rotation)) return false;
  const InductionVariables now = Variables(state);
  if (now.scalars.size() != open.begun.scalars.size()) return false;
  failure_.astray = Astray(open.begun.scalars, now.scalars, open.step.scalars);
  return failure_.astray.empty() &&
         now.HasMoved(open.begun, open.step, loop, code_);
}

// What threads have judged together must not tell an iteration from later
// ones.
bool InductiveRun::StandsForMore(const Log& log, const LoopSummary& loop) {
  BaseCase base = BaseCaseOf(log, *notes_, loop);
  if (base.holds) return true;
  failure_.whole_rounds = base.whole_rounds;
  failure_.lacking = base.lacking;
  Fail("the run has too few repeats");
  return false;
}

void InductiveRun::Substitute(Symbol symbol, const Polynomial& value) {
  symbolic_.Replace(symbol, value);
  for (Polynomial& t : turned_) t = t.Replace(symbol, value);
  ops_.Replace(symbol, value);
  for (Open& open : open_) {
    open.begun.Replace(symbol, value);
    open.step.Replace(symbol, value);
  }
}

void InductiveRun::Executed(const machine::Machine& machine, const State& state,
                            int32_t strand, const Event& event) {
  if (failed() || symbolic_.undecided()) return;
  machine::Who who = machine.WhoIs(state, state.strands[strand]);
  const ExecutedOp op{code_.ops[event.op], event, state, strand, who};
  RingOperands operands(code_, turned_, accumulators_, op, symbolic_);
  if (!operands.Follow()) {
    failure_.unfit = operands.unfit();
    Fail(ir::Cat("what ", op.op.op->info->mnemonic, " on line ",
                 op.op.op->span.text_line(), " works on depends on the size"));
  }
  Restart(op);
  accumulators_.Executed(op);
  ops_.Execute(op, symbolic_, !open_.empty());
}

// docs/all_sizes.md 3.9: a barrier that is initialised is in its first phase,
// in members as in the run. Others of its ring may be where they were: so these
// must have turned whole rounds further, an even number of them.
void InductiveRun::Restart(const ExecutedOp& op) {
  for (const run::BarrierUse& use : op.event.uses) {
    if (use.kind != ir::EffectKind::kInit) continue;
    int32_t decl = state::SlotOf(code_, use.barrier.index).decl;
    Polynomial& turned = turned_[state::RingOf(code_, decl, use.barrier.cta)];
    const int64_t rounds = 2 * state::SlotsOf(code_, decl);
    const bool whole =
        turned.VariesByMultiplesOf(rounds) && turned.base() % rounds == 0;
    if (!whole && proof::IsJudged(proof::Condition::kWholeRounds)) {
      failure_.unfit = Unfit{turned.Varying(), rounds};
      return Fail(
          ir::Cat("in which phase the barriers are that are "
                  "initialised again on line ",
                  op.op.op->span.text_line(), " depends on the size"));
    }
    turned = Polynomial();
  }
}

}  // namespace tilesim::checkers::sizes::induction
