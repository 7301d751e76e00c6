// Loops in which a CTA draws its next tile from a counter of all, as a loop
// over every CTAs-th tile, of any number of CTAs:
//
//   while n < TILES {                       for n in cta.x..TILES step grid.x {
//     thread 0 {                              thread 0 {
//       atom.add q, Next[0], 1                  q = n
//       st tile[0], q                           st tile[0], q
//     }                                       }
//     bar.sync 0                              bar.sync 0
//     ld n, tile[0]                           ld m, tile[0]
//     bar.sync 0                              bar.sync 0
//     if n < TILES {  .. n ..  }              .. n ..
//   }                                       }
//
// and, in the loop on the right, the draw past the last tile behind it.
//
// No two draws are of one number, and those of a CTA rise. Where numbers only
// say which tile it is, and nothing else tells CTAs apart, any two tiles are
// those of two CTAs of some grid, and of one CTA one after the other; and with
// fewer tiles some CTA has any number of them.
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_DYNAMIC_TILES_H_
#define TILESIM_CHECKERS_PIPELINE_DYNAMIC_TILES_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

struct DynamicTiles {
  std::optional<ir::Program> program;  // absent: there is no such loop
  // With any number of tiles up to that: a CTA may draw as many of them as it
  // can while others do not.
  std::optional<ir::Program> fewer;
  bool small_sizes = false;  // if parameters are below 2^31
  bool few_tiles = false;    // if there are less than 2^31 of them
};

// `defines`: of constants.
DynamicTiles WithTilesInTurn(const ir::Program& program,
                             const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_DYNAMIC_TILES_H_
