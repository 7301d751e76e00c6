// `run --baseline OLD.json`: this run beside an earlier one.
#ifndef TILESIM_CLI_RUN_BASELINE_H_
#define TILESIM_CLI_RUN_BASELINE_H_

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "traces/report.h"

namespace tilesim::cli {

// What `run --format json` printed before.
class EarlierRun {
 public:
  // Of several files in it the one of that program, or the only one.
  // InvalidArgument, in words: it is no such file, or about another program.
  static absl::StatusOr<EarlierRun> Read(const std::string& path,
                                         const std::string& program);

  absl::StatusOr<traces::Baseline> Beside(
      const traces::RunReport& report) const;

 private:
  std::string path_;
  nlohmann::json file_;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_BASELINE_H_
