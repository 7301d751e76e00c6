// Stores that warps of a CTA make in turn, as two warpgroups do that take every
// other tile: all of them go around the loop, and in each iteration a condition
// lets one of them store.
//
//   for t in cta.x..T step grid.x {
//     if n % 2 == warpgroup - 1 { st.global C[t * 64 :+ 64, :], c }
//     n = n + 1
//   }
#ifndef TILESIM_CHECKERS_GRID_IN_TURN_H_
#define TILESIM_CHECKERS_GRID_IN_TURN_H_

#include <cstdint>
#include <vector>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

// Warps that store together, each its part.
using WarpUnit = std::vector<int64_t>;

// Whole units of so many warps of those that execute an access: single warps or
// warpgroups. None: some are not whole.
std::vector<WarpUnit> UnitsOf(const std::vector<int64_t>& executing,
                              int64_t warps_needed);

// Of the conditions of `a.guarded`: `turns`, which the warp decides as well,
// and the others.
struct Turns {
  std::vector<Formula> turns, others;
};
Turns TurnsOf(const Accesses& all, const Access::Guarded& guarded);

// Warps of one unit make `a` in the same iterations, where `turn` says, and at
// one place.
bool StoreTogether(const Accesses& all, const Access& a, const Formula& turn,
                   const WarpUnit& unit);

// In every iteration of every CTA `turn` lets one of the units pass, or several
// (docs/all_sizes.md 5.4). That all go around as often is asked elsewhere.
bool OneIsInTurn(const Accesses& all, const Access& a, const Formula& turn,
                 const std::vector<WarpUnit>& units);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_IN_TURN_H_
