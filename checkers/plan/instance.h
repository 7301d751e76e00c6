// Which sizes to run: those given, and for the other parameters
//
//   the smallest permitted ones,
//   one step after another of what makes loops longer, until the kernel's rings
//   have gone around twice,
//   a little more of what else makes a run longer: further tiles.
//
// The GPU is as small as can be, so that persistent kernels get to their second
// tile. A size at which the run goes wrong ends the series.
#ifndef TILESIM_CHECKERS_PLAN_INSTANCE_H_
#define TILESIM_CHECKERS_PLAN_INSTANCE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkers/plan/sm_count.h"
#include "ir/bind.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::plan {

// Of a run that is only measured, and of one worth a second tile.
inline constexpr int64_t kTrialEvents = 20'000;

struct Instance {
  ir::Overrides sizes;  // every parameter
  std::unique_ptr<machine::Code> code;
  std::vector<int64_t> clusters;  // of the grid: those to run; empty: all
  // Clusters that cluster launch control hands out to the first of them, and
  // to no other; absent: any.
  std::optional<int64_t> handed_out;
};

struct InstanceOptions {
  ir::Overrides defines;  // of this kernel; parameters and constants
  int64_t sm_count = 0;   // 0: chosen
  int64_t trips = 0;      // wanted of the longest loop; 0: by its rings
};

struct Instances {
  std::vector<Instance> all;  // empty: errors in the diagnostics
  // How often the longest loop must go around, and does in the last instance.
  // Less than the goal although parameters may still grow: `short_of_goal`.
  int64_t goal = 0;
  int64_t trips = 0;
  bool short_of_goal = false;
  // For the verdict then: what sets the goal ("2 slots of `full`", empty if it
  // was asked for), the lines of the loops, and the largest sizes tried.
  std::string ring;
  std::vector<int32_t> loops;
  ir::Overrides tried;
  // A larger size that may be enough, by how trips grew: of one parameter.
  std::optional<std::pair<std::string, int64_t>> larger;
};

// What the verdict says where they are short of the goal.
std::string ShortOfGoal(const Instances& instances);

// With those sizes, and the defaults of others; SMs as in InstanceOptions.
// nullopt: not permitted.
std::optional<Instance> InstanceAt(const ir::Kernel& kernel,
                                   const ir::Overrides& sizes,
                                   int64_t sm_count);

// The cluster of a grid that has that CTA, counted through.
int64_t ClusterOf(const ir::BoundKernel& bound,
                  const std::array<int64_t, 3>& cta);

// Of a grid in which each CTA has to be checked, up to so many.
inline constexpr int64_t kMaxOfEach = 256;

// All parameters larger, step by step, until the grid grows no more; of one
// that has no end, or is larger than that, a moderate size. All its clusters
// are to be run. nullopt: none is permitted.
std::optional<Instance> LargeGrid(const ir::Kernel& kernel,
                                  const InstanceOptions& options);

// Grids of several clusters, so that what they do to each other shows, at the
// smallest sizes that make them: wide ones and high ones. And of a kernel that
// asks for SMs, one on a small GPU, on which they have more to do than one turn
// of each loop. Their first clusters are to be run. Empty: no size makes a grid
// of two.
std::vector<Instance> GridsOfSeveral(const ir::Kernel& kernel,
                                     const InstanceOptions& options);

Instances ChooseInstances(const ir::Kernel& kernel,
                          const InstanceOptions& options,
                          ir::Diagnostics& diagnostics);

}  // namespace tilesim::checkers::plan

#endif  // TILESIM_CHECKERS_PLAN_INSTANCE_H_
