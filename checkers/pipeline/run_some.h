// Compiled code: runs of some of its clusters, which show its guide what the
// text does not say (sim/machine/guide.h), such as where its mbarriers lie.
// Nothing is judged.
#ifndef TILESIM_CHECKERS_PIPELINE_RUN_SOME_H_
#define TILESIM_CHECKERS_PIPELINE_RUN_SOME_H_

#include <cstdint>

#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// The first and the last cluster; where `words` of global memory decide, as
// many as a budget of events permits, with the inputs, flags and numbers that
// they may see, and all together where they are few.
void RunSome(const machine::Code& code, bool words, int64_t max_events);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_RUN_SOME_H_
