// Waits of a lane while the other lanes of its warp wait for it.
//
// A wait on an mbarrier is a loop on try_wait. A whole warp, and a lane whose
// others have exited, is suspended in it and goes on when the phase completes.
// Where the others wait for the lane, ptxas begins the loop with YIELD, and the
// lane sees the phase when the loop comes round (calibration.json hop.turn: a
// ring of one stage has turns of 441, 612 and 784 cycles, and none between,
// whatever its loads take).
#ifndef TILESIM_SIM_TIMING_POLLS_H_
#define TILESIM_SIM_TIMING_POLLS_H_

#include <vector>

#include "sim/machine/code.h"
#include "sim/timing/event_queue.h"

namespace tilesim::timing {

// By op: whether one lane of a warp executes it, behind whose scope there is
// more to execute, so that the other lanes have not exited.
std::vector<bool> OthersWait(const machine::Code& code);

// When the loop of a wait that began at `since` comes round for the first time
// after its phase was completed; each round takes `period` cycles.
Cycle NextPoll(Cycle since, Cycle completed, Cycle period);

// What was completed so long ago a wait that begins sees at once.
inline constexpr Cycle kSeenAtOnce = 30;
// How much longer bulk.wait_group takes such a lane (calibration.json
// alternate.turn, 43 cycles for a store of 1 KB; the same behind an elect in a
// loop of the warp 140).
inline constexpr Cycle kGroupOfLane = 97;

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_POLLS_H_
