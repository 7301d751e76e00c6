// `tilesim run KERNEL.ptx --launch L.json`: the values that the launches of a
// description compute, in their order. Time is of `.tile` programs.
#ifndef TILESIM_CLI_RUN_PTX_RUN_H_
#define TILESIM_CLI_RUN_PTX_RUN_H_

#include <atomic>
#include <string>

#include "cli/command.h"
#include "cli/run/options.h"

namespace tilesim::cli {

// Findings and failures are said on stderr, the answer on stdout.
ExitCode RunPtx(const RunOptions& options, const std::string& format,
                const std::atomic<bool>& stop);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_PTX_RUN_H_
