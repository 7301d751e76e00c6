// The base case of the induction over iterations: whether the run itself has
// had as many of them as what is judged together spans.
//
// The run is judged by its order, and an order that holds in it must hold in
// runs with more iterations. Two events that are judged together are either
// both in iterations that the run has as well, or one of them lies further back
// than any iteration that it has; the dependence window says how far that can
// be. So an iteration is like any later one only if the whole window before it
// is iterations, and not what came before the loop.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_BASE_CASE_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_BASE_CASE_H_

#include <cstdint>

#include "checkers/run/log.h"
#include "checkers/sizes/induction/loop_summary.h"
#include "checkers/sizes/induction/run_notes.h"

namespace tilesim::checkers::sizes::induction {

struct BaseCase {
  bool holds = false;
  // If not: an iteration would have to be so many of these, so that rings turn
  // whole rounds;
  int64_t whole_rounds = 1;
  // or the run would have to have so many more, at least; 0: it has enough.
  int64_t lacking = 0;
};

// `log`: of the run, up to the end of the iteration that the summary names.
BaseCase BaseCaseOf(const run::Log& log, const RunNotes& notes,
                    const LoopSummary& loop);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_BASE_CASE_H_
