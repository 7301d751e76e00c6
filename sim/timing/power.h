// The SM clock that power leaves.
#ifndef TILESIM_SIM_TIMING_POWER_H_
#define TILESIM_SIM_TIMING_POWER_H_

#include "sim/arch/arch.h"

namespace tilesim::timing {

// What the SMs do in a launch of `cycles`, mean over all of them.
struct Load {
  double cycles = 0;
  double tensor = 0;  // fraction of them that the tensor cores are busy for
  double loaded = 0;  // bytes a cycle that come to an SM
  double hbm = 0;     // bytes a cycle from and to HBM, for each SM
};

// MHz of a launch with that load; the highest where the tensor cores do
// nothing. The current limit acts at once and knows how busy they are. The
// power limit acts on launches that follow each other with their rests, and
// counts energy: of the products, of the bytes that come from L2, and of those
// of HBM.
double ClockMhz(const arch::Arch& arch, const Load& load);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_POWER_H_
