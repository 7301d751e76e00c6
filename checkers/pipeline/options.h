// What a check is asked for.
#ifndef TILESIM_CHECKERS_PIPELINE_OPTIONS_H_
#define TILESIM_CHECKERS_PIPELINE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/run/doing.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

// What must hold of a kernel whose sizes are given, before it means anything:
// frontend::CheckBound.
using Legality =
    std::function<void(const ir::BoundKernel& bound, ir::Diagnostics& found)>;

struct CheckOptions {
  // How often loops go around in the sizes that are checked; 0: all sizes.
  int64_t trips = 0;
  ir::Overrides defines;  // with which the text was parsed
  // At which the program is judged whatever stands for all sizes; parameters
  // that they do not have are at their default.
  std::vector<ir::Overrides> own_sizes = std::vector<ir::Overrides>(1);
  // Of ir::StrictSwitches: rules that sources disagree on (README.md), whose
  // warnings become errors.
  std::set<std::string, std::less<>> strict;
  // Of the GPU. 0: for a kernel that asks, in all sizes as many as the GPU has
  // that its target is for, and in some as few as it can be launched with.
  int64_t sm_count = 0;
  int64_t max_events = 100'000;
  // States that a search of schedules may look at, for each cluster. 0:
  // 100,000, or 10,000 where sizes that were not run are open anyway.
  int64_t max_states = 0;
  Legality legality;  // of the sizes that are run; absent: it was checked
  // Events that may be replayed to find each finding a short witness; 0: none
  // is looked for.
  int64_t witness_events = 0;
  run::Doing doing{};  // told what is being done
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_OPTIONS_H_
