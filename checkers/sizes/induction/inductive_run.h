// One canonical run for a family of sizes. Where the family's members part --
// one has left a loop that another is still in -- the run goes on only if told
// how they meet again: by a loop summary, which says that an iteration happens
// once more for each turn of the loop that they differ by.
//
// A summary is shown by induction, at the iteration that the run itself has:
//
//   before  what has happened is the same for all members
//   step    with i iterations done and r to come (i + r = `iterations`, both
//           symbols), the iteration runs as it did, and leaves everything as it
//           found it: induction variables one step further, rings of slots
//           turned on, the rest equal
//   after   with all iterations done the run goes on, the same for all members
//
// The step is a hypothesis when the iteration begins, and is compared when it
// ends: a wrong one fails there. So the runs of all members are this one with
// the iteration repeated. That its order is theirs as well is the base case
// (base_case.h).
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTIVE_RUN_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTIVE_RUN_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/run/runner.h"
#include "checkers/sizes/induction/accumulators.h"
#include "checkers/sizes/induction/induction_variables.h"
#include "checkers/sizes/induction/loop_summary.h"
#include "checkers/sizes/induction/op_transfer.h"
#include "checkers/sizes/induction/ring_following.h"
#include "checkers/sizes/induction/run_notes.h"
#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::induction {

// Why an inductive run has ended early.
struct InductionFailure {
  // Empty: it has not.
  std::string why;
  // The summary that does not hold; -1: none is known not to.
  int32_t loop = -1;
  // What might hold instead: if this number fitted its ring,
  std::optional<Unfit> unfit;
  // if these scalars might be anything,
  std::set<ScalarName> astray;
  // if an iteration were so many of these, so that rings turn whole rounds,
  int64_t whole_rounds = 1;
  // or if the run had so many iterations more, at least.
  int64_t lacking = 0;
};

// A copy of an inductive run goes on from where it was copied.
class InductiveRun : public run::RunObserver {
 public:
  // Symbols from `fresh` on are free. `notes` must outlive the run; copies of
  // it share them.
  InductiveRun(const machine::Code& code, state::SymbolicState symbolic,
               std::vector<LoopSummary> loops, algebra::Symbol fresh,
               RunNotes* notes);

  // Other summaries; those that it has checked already are the same.
  void Replan(std::vector<LoopSummary> loops);

  void Control(const machine::State& state, int32_t strand,
               const machine::Instr& instr, const machine::Who& who) override {
    symbolic_.Control(state, strand, instr, who);
  }
  void Divided(int32_t strand, int32_t other) override {
    symbolic_.Divided(strand, other);
  }
  void Absorbed(int32_t strand, int32_t other) override {
    symbolic_.Absorbed(strand, other);
  }
  bool Turn(const machine::State& state, const run::Log& log) override;
  void Executed(const machine::Machine& machine, const machine::State& state,
                int32_t strand, const run::Event& event) override;

  // --- after the run ---
  const InductionFailure& failure() const { return failure_; }
  bool failed() const { return !failure_.why.empty(); }
  // Every summary was come to, and shown.
  bool complete() const {
    return shown_ == loops_.size() && !symbolic_.mistaken();
  }
  const std::optional<state::Guard>& undecided() const {
    return symbolic_.undecided();
  }
  // Whether a number that was compared is at least 0, as far as is known.
  std::optional<bool> AtLeast0(const algebra::Polynomial& number) const {
    return symbolic_.AtLeast0(number);
  }
  // What the CTAs do to flags.
  protocol::GridFlags flags() const { return ops_.FlagsAfter(symbolic_); }
  // Whether a number was followed that fits its word where parameters are below
  // 2^31.
  bool small_sizes() const { return ops_.small_sizes(); }
  // The innermost summary that the run ended in; -1: none.
  int32_t inside() const { return open_.empty() ? -1 : open_.back().loop; }

 private:
  // A loop in whose iteration the run is.
  struct Open {
    int32_t loop;
    algebra::Symbol done, left;  // iterations
    machine::State state;
    InductionVariables begun, step;
  };

  void EndLoops(int64_t turn, const machine::State& state, const run::Log& log);
  void BeginLoops(int64_t turn, const machine::State& state);
  void Begin(const machine::State& state, int32_t loop);
  void Assume(const machine::State& state, const InductionVariables& variables);
  void End(const machine::State& state, const run::Log& log);
  bool EndsAsBegun(const machine::State& state, const Open& open);
  bool StandsForMore(const run::Log& log, const LoopSummary& loop);
  void Restart(const ExecutedOp& op);
  void Substitute(algebra::Symbol symbol, const algebra::Polynomial& value);
  InductionVariables Variables(const machine::State& state);
  void Fail(std::string why);

  const machine::Code& code_;
  state::SymbolicState symbolic_;
  OpTransfer ops_;
  Accumulators accumulators_;
  // By how much rings are turned further than in the run.
  std::vector<algebra::Polynomial> turned_;
  std::vector<LoopSummary> loops_;
  std::vector<InductionVariables> before_;  // by loop, an iteration earlier
  std::vector<Open> open_;
  algebra::Symbol fresh_;
  size_t shown_ = 0;
  RunNotes* notes_;
  InductionFailure failure_;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTIVE_RUN_H_
