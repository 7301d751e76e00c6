// Which findings of a cluster follow from others: Finding::because.
//
// B follows from A if B is not there where A's mistake is repaired. A repair is
// made to the run, not to the text, and the run is judged anew:
//
//   a wait that passes on a phase its threads have seen (order/repeats.h)
//                        waits for the phase after the last one they saw
//   two executions that no order keeps apart
//                        are in order (run::Lack)
//
// Two mistakes stay two findings: the repair of one leaves the other.
#ifndef TILESIM_CHECKERS_CAUSE_CAUSE_H_
#define TILESIM_CHECKERS_CAUSE_CAUSE_H_

#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"
#include "checkers/run/runner.h"

namespace tilesim::checkers::cause {

// `log`: the canonical run of `options`, of which, or of other schedules, the
// findings are. Adds the waits that others follow from.
void Explain(run::Log& log, const run::RunOptions& options,
             footprint::Fragments& fragments, report::Findings& findings);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_CAUSE_H_
