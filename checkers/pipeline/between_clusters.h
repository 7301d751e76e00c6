// What clusters of a grid do to each other's places in global memory, at every
// size: shown from the text of the kernel (grid/meetings.h), not from grids that
// were run.
#ifndef TILESIM_CHECKERS_PIPELINE_BETWEEN_CLUSTERS_H_
#define TILESIM_CHECKERS_PIPELINE_BETWEEN_CLUSTERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkers/grid/meetings.h"
#include "checkers/grid/words.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Two accesses that may touch the same place from different clusters.
struct MayMeet {
  std::string why;                      // for the verdict
  std::optional<grid::Example> where;  // they would
};

// Empty: no two clusters touch the same place, one writing, in no order. `some`:
// sizes that are permitted; `fixed`: those that -D gives.
std::vector<MayMeet> MeetingsOfClusters(const ir::Kernel& kernel,
                                        const ir::Overrides& some,
                                        const ir::Overrides& fixed,
                                        int64_t sm_count,
                                        const grid::Words& words);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_BETWEEN_CLUSTERS_H_
