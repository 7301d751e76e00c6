// Why nothing moves any more: every stuck strand, what it waits for, what is
// missing, who could supply it and where they are stuck.
//
//   error[deadlock/cycle]: `full[1]` never completes phase 2: 1 of 1 arrivals
//                          and 32768 bytes are missing
//   12 |  mbarrier.wait full[s], parity = ...
//      |  ^^^^^^^^^^^^^ consumer waits here
//   31 |  mbarrier.wait empty[s], ...
//      |  ------------- producer, who arrives on `full`, waits here for
//      `empty[1]`
#ifndef TILESIM_SIM_MACHINE_DEADLOCK_H_
#define TILESIM_SIM_MACHINE_DEADLOCK_H_

#include <vector>

#include "ir/diagnostic.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {

// Call when no strand can step but to poll in vain, and nothing is in flight.
// One diagnostic a
// cycle of roles that wait for each other, then one a stuck role outside any
// cycle; CTAs that are stuck in the same way are told once.
std::vector<ir::Diagnostic> ExplainDeadlock(Machine& machine, State& state);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DEADLOCK_H_
