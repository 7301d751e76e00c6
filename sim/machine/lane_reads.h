// What lanes of a warp do if they read different values in one instruction. A
// machine keeps one value of a scalar for all lanes that execute together; each
// lane of a GPU reads for itself, and a word that others change, or a phase
// that completes, may be seen by some of them only.
#ifndef TILESIM_SIM_MACHINE_LANE_READS_H_
#define TILESIM_SIM_MACHINE_LANE_READS_H_

#include "sim/machine/code.h"

namespace tilesim::machine {

// Whether several lanes read a scalar by a strong load or a test of an
// mbarrier, and what lanes wait for together, write or signal depends on it.
// False of a loop that only polls. Of compiled code, whose lanes read for
// themselves: false.
bool RestsOnEqualReads(const Code& code);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_LANE_READS_H_
