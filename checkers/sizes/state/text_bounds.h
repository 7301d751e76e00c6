// Boxes of global tensors that the text shows to lie inside, whatever the
// sizes:
//
//   for tile in cta.x..TILES_M * TILES_N step grid.x {
//     bulk.load s, F[tile % TILES_M, tile / TILES_M], full   // F[TILES_M,
//     TILES_N]
//
// Of boxes of which only the start must be there, that it is.
//
// Such numbers are no polynomials, so a run cannot decide it for a family.
#ifndef TILESIM_CHECKERS_SIZES_STATE_TEXT_BOUNDS_H_
#define TILESIM_CHECKERS_SIZES_STATE_TEXT_BOUNDS_H_

#include <array>
#include <cstdint>
#include <set>

#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::state {

// An op of the code, its operand, a dimension.
using BoxSide = std::array<int32_t, 3>;

std::set<BoxSide> InsideByText(const machine::Code& code);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_TEXT_BOUNDS_H_
