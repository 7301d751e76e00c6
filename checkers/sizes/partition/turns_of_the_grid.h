// Which turn of a persistent CTA it is, as a quotient:
//
//   for t in cta.x..T step grid.x {       for n in 0..cdiv(T - cta.x, grid.x) {
//                                           let t = cta.x + n * grid.x
//     mbarrier.wait e, t / grid.x & 1       mbarrier.wait e, n & 1
//
// As cta.x is below grid.x, `t / grid.x` is n and `t % grid.x` is cta.x
// (docs/all_sizes.md 3.10).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_TURNS_OF_THE_GRID_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_TURNS_OF_THE_GRID_H_

#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Rewrites all such loops where one asks for its turn, so that those of the
// same text still are. False: none does.
bool CountTurns(ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_TURNS_OF_THE_GRID_H_
