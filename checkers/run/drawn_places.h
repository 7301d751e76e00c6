// Places in memory that hang on numbers which CTAs draw by atomics.
//
// A CTA that is judged by itself draws what it would if it were alone, so that
// two of them may seem to draw one number, which they never do in one launch.
#ifndef TILESIM_CHECKERS_RUN_DRAWN_PLACES_H_
#define TILESIM_CHECKERS_RUN_DRAWN_PLACES_H_

#include <cstdint>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::run {

// By op: whether what an atomic returned decides what the op touches. Of
// `counts`, an op whose numbers are judged one by one (ticket.h), that is
// known; -1: there is none.
std::vector<bool> PlacesByDraws(const machine::Code& code, int32_t counts);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_DRAWN_PLACES_H_
