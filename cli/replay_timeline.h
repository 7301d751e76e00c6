// A schedule as a timeline: time is the number of the step.
//
//   CTA 0   producer (warp 0)  |init|tma.load|WAIT `empty[0]`        |wait|
//           consumer (warp 4)  |others move  |mbarrier.wait|wgmma|
//           tma.load                |line 58                  |
#ifndef TILESIM_CLI_REPLAY_TIMELINE_H_
#define TILESIM_CLI_REPLAY_TIMELINE_H_

#include <string>
#include <vector>

#include "checkers/report/trace_step.h"
#include "traces/timeline.h"

namespace tilesim::cli {

// A track a warp (what it executes, and between that what it stands at), and
// lanes of asynchronous operations; what is never done, and waits that never
// end, are open to the end.
traces::Timeline ReplayTimeline(const checkers::report::Trace& trace,
                                const std::string& program);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_REPLAY_TIMELINE_H_
