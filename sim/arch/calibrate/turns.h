// What turns of loops say that are programs in .tile (hwtests/calibrate/*.py).
#ifndef TILESIM_SIM_ARCH_CALIBRATE_TURNS_H_
#define TILESIM_SIM_ARCH_CALIBRATE_TURNS_H_

#include "sim/arch/calibrate/rules.h"

namespace tilesim::arch {

// A tile of 16 KB of a peer, in clusters of four on all SMs: cycles.
Quantity OfPeer(Asked& r, const char* fragment);
// Of those in whole lines: B/cycle.
Quantity PeerBandwidth(Asked& r);
// A tensor store until its source is read, less its bytes and its issue:
// cycles.
Quantity StoreAlone(Asked& r);
// A round of a wait by a lane that its warp waits for: cycles.
Quantity Poll(Asked& r);

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_CALIBRATE_TURNS_H_
