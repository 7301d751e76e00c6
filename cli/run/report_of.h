// What a timed run amounts to, as the plain numbers of traces/report.h.
#ifndef TILESIM_CLI_RUN_REPORT_OF_H_
#define TILESIM_CLI_RUN_REPORT_OF_H_

#include "traces/report.h"

namespace tilesim::cli {

class TimedRun;

// Everything but the result and findings, which are there already. Lines of
// the source are filled if the run's options ask for them.
void FillReport(const TimedRun& run, traces::RunReport& report);

// By line of the program.
void FillLines(const TimedRun& run, traces::RunReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_REPORT_OF_H_
