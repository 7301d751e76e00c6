// What kernels with stamps (EmitOptions::trace) left behind, and as a timeline
// in the words of the model's: a process a CTA, a track a warp under the name
// of its role, a slice an op, `WAIT full[2]` for waits.
//
//   Timeline t = HwTimeline(job.plan, result, "gemm.tile", "h200");
//
// Between two stamps a warp did what is not stamped: `other`.
#ifndef TILESIM_HWTESTS_RUN_TRACE_H_
#define TILESIM_HWTESTS_RUN_TRACE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/run/run.h"
#include "traces/timeline.h"

namespace tilesim::hwtests {

// Threads for which a CTA has room.
inline constexpr size_t kTraceThreads = 1024;

inline size_t TraceBytes(size_t kernels, size_t ctas, size_t stamps) {
  return kernels * ctas * kTraceThreads * stamps * 16;
}

// The room of tile_trace, as it came back.
std::vector<TracedCta> TracedCtas(const HwJob& job, std::string_view room);

traces::Timeline HwTimeline(const LaunchPlan& plan, const HwResult& result,
                            const std::string& program,
                            const std::string& arch);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_RUN_TRACE_H_
