// Timelines as Chrome trace event JSON, for ui.perfetto.dev and
// chrome://tracing: drag the file in.
//
//   {"displayTimeUnit":"ns",
//    "otherData":{"schema":1,"generator":"tilesim","program":"gemm.tile",
//     "arch":"h200","clock_mhz":1980, ... ,"truncated":false},
//    "traceEvents":[
//   {"ph":"M","pid":1,"name":"process_name","args":{"name":"SM 0 / CTA
//   (0,0)"}},
//   {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"mma"}},
//   {"ph":"X","pid":1,"tid":2,"ts":0.000,"dur":0.323,"name":"WAIT_TMA",
//    "cat":"wait","args":{"cycle":0,"cycles":640,"line":31,
//                         "barrier":"full[0]","phase":0}},
//   {"ph":"s","id":1,"pid":1,"tid":3,"ts":0.322,"name":"full[0]","cat":"flow"},
//   {"ph":"f","bp":"e","id":1, ...},
//   {"ph":"C","pid":1,"ts":0.323,"name":"stages full","args":{"value":1}}
//   ]}
//
// Time is in microseconds of the stated clock (micros.h); the exact cycles
// are in `args`. One event a line, events of a track together, then flows,
// then counters: two traces can be compared with diff. The same timeline
// gives the same bytes, compressed or not.
//
// pid and tid are handles + 1: small, unique in the file, never 0.

#ifndef TILESIM_TRACES_CHROME_TRACE_H_
#define TILESIM_TRACES_CHROME_TRACE_H_

#include <string>

#include "absl/status/status.h"
#include "traces/timeline.h"

namespace tilesim::traces {

// Raised when a key changes its meaning or goes; new keys may come any time.
inline constexpr int kChromeTraceSchema = 1;

// Writes `path`, gzipped if it ends in ".gz", whole or not at all
// (output_file.h). Streams: needs no memory for the text. Errors name the
// file, or say what is wrong with the timeline (Timeline::Validate).
absl::Status WriteChromeTrace(const Timeline& timeline,
                              const std::string& path);

// The same text in memory, for tests and small timelines, which must be valid.
std::string ChromeTraceText(const Timeline& timeline);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_CHROME_TRACE_H_
