// What the CTAs of a grid, and the threads of a cluster, do to each other's places
// in global memory, at every size: shown from the text of the kernel
// (grid/meetings.h), not from grids that were run.
#ifndef TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_
#define TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/meetings.h"
#include "checkers/pipeline/global_order.h"
#include "ir/bind.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// Two accesses that may touch the same place.
struct MayMeet {
  std::string why;                     // for the verdict
  std::optional<grid::Example> where;  // they would
};

class GlobalMemory {
 public:
  // `some`: sizes that are permitted; `fixed`: those that -D gives. nullopt:
  // they are not permitted.
  static std::optional<GlobalMemory> Of(const ir::Kernel& kernel,
                                        const ir::Overrides& some,
                                        const ir::Overrides& fixed,
                                        int64_t sm_count);

  // Empty: no two clusters touch the same place, one writing, in no order.
  std::vector<MayMeet> BetweenClusters(const grid::Words& words) const;
  // Empty: no threads of one cluster do, if runs were seen by a `sites` that
  // watches what may meet.
  std::vector<MayMeet> InClusters(const GlobalOrder& order) const;
  void Watch(SiteOrder& sites) const;

 private:
  GlobalMemory(const ir::Kernel& kernel, const ir::Overrides& fixed,
               const machine::Code& code)
      : kernel_(&kernel),
        fixed_(fixed),
        accesses_(grid::AccessesOf(code, fixed)) {}

  MayMeet Met(const grid::Meeting& m, std::string why) const;
  std::string PlaceOf(const grid::Meeting& m) const;

  const ir::Kernel* kernel_;
  ir::Overrides fixed_;
  grid::Accesses accesses_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_GLOBAL_MEMORY_H_
