// When the operations in flight are the same, with rings of slots turned on:
// the same ops of the same threads, as old among those of their group, which
// work on slots that are that much further. An operation that is in flight
// moves on whatever its threads do next, so it is a part of the state like any
// strand.
#ifndef TILESIM_CHECKERS_SIZES_STATE_SAME_FLIGHTS_H_
#define TILESIM_CHECKERS_SIZES_STATE_SAME_FLIGHTS_H_

#include "checkers/sizes/state/rings.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::sizes::state {

bool SameFlights(const machine::Code& code, const machine::State& earlier,
                 const machine::State& later, const Rotation& rotation);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_SAME_FLIGHTS_H_
