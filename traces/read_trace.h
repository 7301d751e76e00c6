// Files of chrome_trace.h, read back.
#ifndef TILESIM_TRACES_READ_TRACE_H_
#define TILESIM_TRACES_READ_TRACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "traces/timeline.h"

namespace tilesim::traces {

// The file's object, compressed or not; it has `traceEvents`. NotFound,
// InvalidArgument, in words.
absl::StatusOr<nlohmann::json> ReadTraceJson(const std::string& path);

// Adds the processes, tracks and slices of a file to a timeline, after those
// that are there; the names of processes begin with `prefix`. Arrows and curves
// are left out.
absl::Status AddTraceFile(const std::string& path, const std::string& prefix,
                          Timeline& timeline);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_READ_TRACE_H_
