// `run --baseline OLD.json`: this run beside an earlier one.
#ifndef TILESIM_CLI_RUN_BASELINE_H_
#define TILESIM_CLI_RUN_BASELINE_H_

#include <string>

#include "absl/status/statusor.h"
#include "traces/report.h"

namespace tilesim::cli {

// From what `run --format json` printed, and is in `path`. Of several files in
// it the one of the report's name, or the only one. InvalidArgument, in words:
// it is no such file, or about another program.
absl::StatusOr<traces::Baseline> CompareWith(const std::string& path,
                                             const traces::RunReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_BASELINE_H_
