// The data of a report page, as JSON that page.js reads.
//
//   run        what `run --lines --format json` has of the file
//   sources    path and lines of the program's files
//   timeline   names, processes, tracks; slices by column, in the order of
//              tracks and time; flows [track, cycle, track, cycle]; path
//              [track, from, to]; args: lists of [key, value], by slice
//   gpu        sms, end; ctas [sm, number, from, to, kernel]; load [from,
//              tensor cores, L2 ports, HBM]; path [sm, from, to]
//   findings   of the check and the run; steps, each with the slice of the
//              finding's own timeline that shows it
//   check      verdict and what it is about; null: not asked for
//   sweep      a table and an SVG picture; absent: none was given
#ifndef TILESIM_CLI_PAGE_PAGE_DATA_H_
#define TILESIM_CLI_PAGE_PAGE_DATA_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/checked_file.h"
#include "cli/run/gpu_tracks.h"
#include "cli/run/timed_run.h"
#include "nlohmann/json.hpp"
#include "traces/timeline.h"

namespace tilesim::cli {

using PageJson = nlohmann::ordered_json;

// `unit`: what a cycle of it is: "cycles", "steps".
PageJson TimelineJson(const traces::Timeline& timeline,
                      const std::vector<DrawnStep>& path,
                      const std::string& unit);
PageJson GpuJson(const TimedRun& run);
PageJson CheckJson(const CheckedFile& file);
// Those of the check, then those of the run that it does not have.
PageJson FindingsJson(const CheckedFile* checked,
                      const traces::RunReport& report);
PageJson SourcesJson(const traces::RunReport& report);
// From what `sweep --format json` printed. Errors: it is no sweep, in words.
absl::StatusOr<PageJson> SweepJson(const std::string& path);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_PAGE_PAGE_DATA_H_
