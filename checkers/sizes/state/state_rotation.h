// When a state of the machine is another one with its rings of slots turned on:
// the machine does from the one what it does from the other, with every slot
// that much further.
//
// That is so because nothing of a program but its indices tells slots apart,
// and those turn with their rings (ring_following.h). Compared is everything
// that the machine looks at, phases counted on where a ring wraps, rounds of
// hardware barriers counted from where they are; scalars are compared as
// polynomials (induction_variables.h).
#ifndef TILESIM_CHECKERS_SIZES_STATE_STATE_ROTATION_H_
#define TILESIM_CHECKERS_SIZES_STATE_STATE_ROTATION_H_

#include "checkers/sizes/state/rings.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::sizes::state {

// Scalars, and what is in no live slot, may differ.
bool SameState(const machine::Code& code, const machine::State& earlier,
               const machine::State& later, const Rotation& rotation);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_STATE_ROTATION_H_
