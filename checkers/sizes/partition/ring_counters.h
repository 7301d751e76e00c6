// A place in a ring that is kept in variables which wrap:
//
//   var stage = 0
//   var phase = 0
//   ...
//   stage = stage + 1
//   if stage == STAGES {
//     stage = 0
//     phase = phase ^ 1
//   }
//
// A kernel that counts n in one variable, and has `n % STAGES` and
// `(n / STAGES) & 1` where those are read, does the same. In the proof for all
// sizes n is an induction variable, and no branch is taken where the ring
// wraps.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_RING_COUNTERS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_RING_COUNTERS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Counts in one variable what wraps in several. `defines`: of constants. False:
// nothing wraps.
bool CountRings(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_RING_COUNTERS_H_
