// What a timed run amounts to, as the plain numbers of traces/report.h.
#ifndef TILESIM_CLI_RUN_REPORT_OF_H_
#define TILESIM_CLI_RUN_REPORT_OF_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/run/options.h"
#include "ir/diagnostic.h"
#include "sim/arch/accuracy.h"
#include "sim/arch/arch.h"
#include "sim/machine/code.h"
#include "sim/timing/stats.h"
#include "traces/report.h"

namespace tilesim::cli {

// What was run, and what came of it.
struct Timed {
  const RunOptions& options;
  const ir::Source& source;
  std::vector<const machine::Code*> codes;  // in the order of their launches
  const timing::RunStats& stats;
  const arch::Arch& arch;
};

// Everything but the result and findings, which are there already. Lines of
// the source are filled if the run's options ask for them.
void FillReport(const Timed& run, traces::RunReport& report);

// How far the clock was found to be off, of what.
traces::ClockError ClockErrorOf(const arch::Accuracy* measured,
                                std::string_view of);

// By line of the program.
void FillLines(const Timed& run, traces::RunReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_REPORT_OF_H_
