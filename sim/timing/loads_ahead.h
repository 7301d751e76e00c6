// Loads that nvcc and ptxas issue before anything waits for the first of them:
// those of several iterations of a loop that is unrolled, and those with
// nothing but register arithmetic between them.
#ifndef TILESIM_SIM_TIMING_LOADS_AHEAD_H_
#define TILESIM_SIM_TIMING_LOADS_AHEAD_H_

#include <vector>

#include "sim/machine/code.h"

namespace tilesim::timing {

struct LoadAhead {
  // Of how many a load from global memory, or from a peer's shared memory, is
  // issued together; 1: of one, or it is no such load.
  int iterations = 1;
  bool all = false;     // that there are: no loop is left
  bool leads = false;   // others are issued with it
  int32_t behind = -1;  // the first load that it is issued with, if it is not
};

// By op.
std::vector<LoadAhead> LoadsAhead(const machine::Code& code);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_LOADS_AHEAD_H_
