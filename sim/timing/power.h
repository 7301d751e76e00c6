// The SM clock that power leaves.
#ifndef TILESIM_SIM_TIMING_POWER_H_
#define TILESIM_SIM_TIMING_POWER_H_

#include "sim/arch/arch.h"

namespace tilesim::timing {

// MHz after `cycles` of a launch whose tensor cores were busy for the fraction
// `busy` of them; 0: they were not used. The current limit acts at once, the
// power limit on launches that follow each other, with their rests.
double ClockMhz(const arch::Arch& arch, double busy, double cycles);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_POWER_H_
