// Loops that count rounds, in each of which a CTA has one tile or none, as
// those that count tiles:
//
//   for n in 0..cdiv(T - cta.x, grid.x)        for t in cta.x..T step grid.x
//   for n in 0..cdiv(T, grid.x) {
//     if cta.x + n * grid.x < T { .. }
//
#ifndef TILESIM_CHECKERS_GRID_BY_ROUNDS_H_
#define TILESIM_CHECKERS_GRID_BY_ROUNDS_H_

#include <cstdint>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

// Whether every round has a tile, or is passed over; or some have none, and
// what they store besides is not counted.
enum class Tiles : uint8_t { kInEach, kSome };

// Makes each such loop around the access one that counts tiles, if it is shown
// that it is made in the same rounds (docs/all_sizes.md 5.4). A guard that says
// which those are is none any more: it is what ends the loop.
void CountTiles(Access& access, Accesses& all, Tiles tiles);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_BY_ROUNDS_H_
