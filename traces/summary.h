// A RunReport for people and for programs.
//
// The text has the sections that users of Nsight Compute look for, in its
// order and under its names:
//
//   gemm.tile: gemm_ws on h200
//
//   GPU Speed Of Light Throughput
//     Duration         100.00 us
//     SM cycles          198,000   at 1980 MHz
//     Throughput   700.0 TFLOP/s   70.8 % of peak
//     Bound by       tensor core
//   ...
//   Warp State Statistics (share of each role's lifetime)
//     role           busy     waits   on      mean cycles
//     mma          76.5 %    23.5 %   full          726.3
//
// Sections: Speed Of Light, Launch Statistics, Compute Workload Analysis,
// Memory Workload Analysis, Warp State Statistics, Critical Path, Result,
// Findings. A section without content is left out. No colours, no line ends
// in spaces.

#ifndef TILESIM_TRACES_SUMMARY_H_
#define TILESIM_TRACES_SUMMARY_H_

#include <string>

#include "nlohmann/json_fwd.hpp"
#include "traces/report.h"

namespace tilesim::traces {

std::string TextSummary(const RunReport& report);
// Of it only what is about values: head, result, findings.
std::string ResultSummary(const RunReport& report);

// The object that stands in the list `files` of `--format json`: keys in a
// fixed order, unknown values null. traces/README.md lists the keys.
nlohmann::ordered_json JsonSummary(const RunReport& report);

}  // namespace tilesim::traces

#endif  // TILESIM_TRACES_SUMMARY_H_
