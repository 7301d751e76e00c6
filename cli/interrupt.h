// Ctrl-C. The first asks the command to stop and leave nothing half done; a
// second ends the process at once.
//
//   const std::atomic<bool>& stop = CatchInterrupt();
//   ... look at `stop` now and then ...
#ifndef TILESIM_CLI_INTERRUPT_H_
#define TILESIM_CLI_INTERRUPT_H_

#include <atomic>

namespace tilesim::cli {

// From here on a first SIGINT makes the answer true.
const std::atomic<bool>& CatchInterrupt();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_INTERRUPT_H_
