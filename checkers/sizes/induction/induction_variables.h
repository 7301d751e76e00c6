// What is another in every iteration of a loop, always by the same step: the
// scalars that are live, how far rings of slots are turned, and the requests
// that answers of cluster launch control are to.
//
//   step    read off two iterations of the run
//   begun   what they are with i iterations done: the hypothesis
//   ended   must be `begun` and one step more
//
// That a step was read off the run proves nothing, and need not: if it is not
// what every iteration does, the comparison at the end fails. What moves by no
// step is havocked: it may be anything from then on, so what is concluded holds
// whatever it is.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTION_VARIABLES_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTION_VARIABLES_H_

#include <set>
#include <vector>

#include "checkers/sizes/induction/loop_summary.h"
#include "checkers/sizes/protocol/answers.h"
#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::induction {

// Of strands, in the order of StrandsOf.
using Scalars = std::vector<state::SymbolicState::Slots>;

// What is to be added to `earlier` for `now`, which has as many strands;
// unknown where that cannot be said, and for what is havocked.
Scalars StepOf(const Scalars& earlier, const Scalars& now,
               const std::set<ScalarName>& havoc);
// So many steps more. What has no step is unknown.
Scalars MovedOn(const Scalars& scalars, const Scalars& step,
                const algebra::Polynomial& iterations);
// Those that have not moved on by one step. Of what was unknown nothing was
// concluded, so it may be anything at the end as well.
std::set<ScalarName> Astray(const Scalars& begun, const Scalars& ended,
                            const Scalars& step);

struct InductionVariables {
  Scalars scalars;
  // By how much each ring is turned further than in the run.
  std::vector<algebra::Polynomial> rings;
  protocol::Answers answers;

  void Replace(algebra::Symbol symbol, const algebra::Polynomial& value);
  // The step from `earlier` to this, an iteration later.
  InductionVariables StepSince(const InductionVariables& earlier,
                               const LoopSummary& loop,
                               const machine::Code& code) const;
  // So many iterations later. The run is turned in each, too.
  InductionVariables MovedOn(const InductionVariables& step,
                             const LoopSummary& loop,
                             const algebra::Polynomial& iterations) const;
  // Whether rings and answers are one step further than they were.
  bool HasMoved(const InductionVariables& begun, const InductionVariables& step,
                const LoopSummary& loop, const machine::Code& code) const;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_INDUCTION_VARIABLES_H_
