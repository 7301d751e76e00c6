// Loop summaries that could make up for a guard that members of a family decide
// differently: iterations that end where it was met, and have just happened
// twice.
//
// Only candidates: that the last two stretches of a run look alike does not say
// that one more would leave everything as it is. An inductive run shows that,
// or not, of one after the other.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SEARCH_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/run/log.h"
#include "checkers/sizes/induction/division_hint.h"
#include "checkers/sizes/induction/inductive_run.h"
#include "checkers/sizes/induction/loop_summary.h"
#include "checkers/sizes/induction/run_notes.h"

namespace tilesim::checkers::sizes::induction {

struct LoopCandidates {
  // Best first: those in which scalars moved on evenly.
  std::vector<LoopSummary> all;
  // If they did so only in a longer one: steps that would make that one.
  std::optional<Stride> longer;
  // Steps that would make some longer one.
  std::optional<Stride> larger;

  // Steps that would make any stretch one, if none is.
  std::optional<Stride> stride;
  // What an iteration leaves undecided of the number (iteration_count.h).
  std::optional<algebra::Polynomial> rest;
  int64_t compared = 0;  // events
};

// `run` has ended at an undecided guard.
LoopCandidates FindLoops(const InductiveRun& run, const RunNotes& notes,
                         const run::Log& log);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SEARCH_H_
