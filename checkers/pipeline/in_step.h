// Whether threads that go around the same loops could do so in step: nobody
// waits for what another one does in a later iteration.
//
//   for t in 0..R { .. for j in 0..N { .. } .. }
//
// docs/all_sizes.md 3.17 asks for it.
#ifndef TILESIM_CHECKERS_PIPELINE_IN_STEP_H_
#define TILESIM_CHECKERS_PIPELINE_IN_STEP_H_

#include "checkers/run/log.h"
#include "checkers/sizes/partition/ragged_loops.h"

namespace tilesim::checkers::pipeline {

// Of the kernel that `MakeEven` made: where every thread does one such loop at
// most, and nothing in it begins, ends or is given away.
bool GoesInStep(const run::Log& log, const sizes::partition::EvenLoops& loops);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_IN_STEP_H_
