// Loops that nvcc unrolls: loads of several iterations are issued one behind
// the other before anything waits for the first.
#ifndef TILESIM_SIM_TIMING_LOADS_AHEAD_H_
#define TILESIM_SIM_TIMING_LOADS_AHEAD_H_

#include <vector>

#include "sim/machine/code.h"

namespace tilesim::timing {

struct LoadAhead {
  // Of how many a load from global memory, or from a peer's shared memory, is
  // issued together; 1: of one, or it is no such load.
  int iterations = 1;
  bool all = false;  // that there are: no loop is left
};

// By op.
std::vector<LoadAhead> LoadsAhead(const machine::Code& code);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_LOADS_AHEAD_H_
