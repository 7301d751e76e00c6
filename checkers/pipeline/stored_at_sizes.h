// Whether all of each result is stored, at sizes that are tried one by one: at
// all that there are, if they are few, else where mistakes show.
#ifndef TILESIM_CHECKERS_PIPELINE_STORED_AT_SIZES_H_
#define TILESIM_CHECKERS_PIPELINE_STORED_AT_SIZES_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/scope.h"
#include "checkers/plan/instance.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

struct StoredAtSizes {
  std::vector<ir::Diagnostic> holes;  // of the first sizes that have any
  std::optional<plan::Instance> at;   // which these are
  bool at_every_size = false;         // all sizes were tried, and none has any
};

// `run`: sizes that were judged, with the number of SMs; not empty.
StoredAtSizes StoresAtSizes(
    const KernelPlan& plan,
    const std::set<std::pair<ir::Overrides, int64_t>>& run,
    const Judging& judging);

// Where cluster launch control hands out clusters, and not all that is stored
// if it refuses is shown to be stored.
Whole NotAsLaunched();

// A reason for an incomplete verdict, if there is one.
std::optional<std::string> WhyNotWhole(const std::string& tensor,
                                       const Whole& whole);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_STORED_AT_SIZES_H_
