// The canonical run: one cluster without a clock. Strands take turns, an op
// each, lowest first. Asynchronous operations are as late as they may be: one
// moves on only when no strand can, the oldest first. So whoever forgets to
// wait for one is seen to overtake it.
//
//   Log log = RunCluster(code, {});
//   Log log = RunCluster(code, {.path = &path});   // as a search went
#ifndef TILESIM_CHECKERS_RUN_RUNNER_H_
#define TILESIM_CHECKERS_RUN_RUNNER_H_

#include "checkers/run/log.h"
#include "checkers/run/move.h"

namespace tilesim::checkers {

struct RunOptions {
  int64_t cluster = 0;  // which of the grid
  int64_t max_events = 100'000;
  // Instead of the canonical schedule: these moves, warp by warp.
  const Path* path = nullptr;
};

// `code` must outlive the log.
Log RunCluster(const machine::Code& code, const RunOptions& options);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_RUN_RUNNER_H_
