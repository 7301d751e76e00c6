// Branches on which nothing depends: on each of their ways there is nothing but
// arithmetic, and what it leaves decides nothing. A loop that polls and counts
// how often, to sleep longer, has such; whichever way is taken, threads do the
// same operations.
#ifndef TILESIM_PTX_FLOW_IDLE_BRANCHES_H_
#define TILESIM_PTX_FLOW_IDLE_BRANCHES_H_

#include <cstdint>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// A branch whose ways only compute, and do not go back; or that goes back until
// an atom.cas has replaced a word by a function of what it held, which one
// round stands for: other rounds touch the same word, and leave it as it is.
struct Computing {
  int32_t node = -1;             // the branch
  int32_t join = -1;             // the block where its ways meet again
  std::vector<int32_t> defines;  // registers, on its ways
};
std::vector<Computing> ComputingBranches(const Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_IDLE_BRANCHES_H_
