// Sizes at which given loops go around as often as wanted. A proof that stops
// at trip counts names them as its counterexample; where a launch has them,
// that launch shows the mistake.
#ifndef TILESIM_CHECKERS_PLAN_WITH_TRIPS_H_
#define TILESIM_CHECKERS_PLAN_WITH_TRIPS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "checkers/plan/instance.h"

namespace tilesim::checkers::plan {

// Loops that go around equally often, by their lines.
struct TripsWanted {
  std::set<int32_t> lines;
  int64_t trips = 0;
};

// `from`: sizes to begin with, which grow one parameter at a time, on the
// smallest GPU first, unless one is given. A heuristic: the trips are counted
// in a run of the cluster, by the ops that are executed in every iteration.
// nullopt: none of the sizes tried has them.
std::optional<Instance> WithTrips(const ir::Kernel& kernel,
                                  const InstanceOptions& options,
                                  const ir::Overrides& from,
                                  const std::vector<TripsWanted>& wanted,
                                  int64_t cluster = 0);

}  // namespace tilesim::checkers::plan

#endif  // TILESIM_CHECKERS_PLAN_WITH_TRIPS_H_
