// `tilesim run KERNEL.ptx --launch L.json`: the values that the launches of a
// description compute, in their order, and their time.
#ifndef TILESIM_CLI_RUN_PTX_RUN_H_
#define TILESIM_CLI_RUN_PTX_RUN_H_

#include <atomic>
#include <functional>
#include <string>

#include "cli/exit_code.h"
#include "cli/run/options.h"
#include "cli/run/ptx_time.h"

namespace tilesim::cli {

struct PtxRunOptions {
  RunOptions run;  // timing_only: no values
  bool values_only = false;
  std::string format;
  // Of a trace: who watches, and what is done with it. False: it cannot be
  // written, which was said.
  PtxTime::Watch watch;
  std::function<bool(const timing::RunStats&)> write_trace;
};

// Findings and failures are said on stderr, the answer on stdout.
ExitCode RunPtx(const PtxRunOptions& options, const std::atomic<bool>& stop);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_PTX_RUN_H_
