// What a run of PTX came to, as text and as JSON.
#ifndef TILESIM_CLI_RUN_PTX_REPORT_H_
#define TILESIM_CLI_RUN_PTX_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/json.h"
#include "cli/run/options.h"
#include "cli/run/ptx_time.h"
#include "traces/report.h"

namespace tilesim::cli {

struct PtxReport {
  struct Launch {
    std::string kernel;
    int64_t ctas = 0, valued = 0, instructions = 0;
    bool finished = false;
  };
  struct Written {
    std::string buffer;
    int64_t written = 0, elements = 0;
  };

  const RunOptions& options;
  bool values_only = false;
  std::vector<Launch> launches;
  std::vector<Written> written;
  std::vector<traces::ExpectedReport> compared;
  std::vector<traces::FindingLine> findings;
  bool finished = false;
  std::string failure;            // why it is incomplete
  bool others = false;            // launches of other files were left out
  const PtxTime* time = nullptr;  // null: it was not timed
};

std::string TextOf(const PtxReport& report);
Json JsonOf(const PtxReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_RUN_PTX_REPORT_H_
