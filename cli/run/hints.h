// What would make a program faster: its constants that say how many stages
// something has, with other values, each run to see. A hint is sure: the
// program with it ran on the modelled GPU, with values, and nothing was found.
#ifndef TILESIM_CLI_RUN_HINTS_H_
#define TILESIM_CLI_RUN_HINTS_H_

#include <atomic>

#include "cli/run/timed_run.h"

namespace tilesim::cli {

// Fills the report's hints, the fastest first. `stop` ends it early.
void FillHints(TimedRun& run, const std::atomic<bool>& stop);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_HINTS_H_
