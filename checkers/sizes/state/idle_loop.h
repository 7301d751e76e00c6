// Loops that have nothing to do in some sizes:
//
//   for t in cta.x..TILES step grid.x {
//     for k in first..end { ... }       here first == end
//   }
//
// or that only other warps execute:
//
//   for k in 0..K {
//     warp 1 { ... }
//     c = c + 1
//   }
//
// A loop that executes no op leaves nothing in a run but scalars, so that no
// loop summary can be found for it. Its iterations are shown by an induction of
// their own: with any number done, the next decides the same and moves every
// scalar on by the same step.
#ifndef TILESIM_CHECKERS_SIZES_STATE_IDLE_LOOP_H_
#define TILESIM_CHECKERS_SIZES_STATE_IDLE_LOOP_H_

#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::state {

// The strand is at the test of a `for`, which the run leaves and larger members
// do not. If what they do more is idle, its scalars are set to what they are
// when all have left it. False: it is not, or not seen to be.
bool PassOver(const machine::Code& code, SymbolicState& symbolic,
              int32_t strand, const ir::ThreadSet& threads, int32_t test,
              const machine::Who& who);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_IDLE_LOOP_H_
