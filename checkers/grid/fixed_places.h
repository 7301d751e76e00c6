// Accesses of which every CTA of every launch has the same executions, at the
// same places but for where in the grid it lies: constants alone decide.
//
//   for i in warp * 8..warp * 8 + 8 {
//     var rev = 0 ...                 the bits of i, the other way round
//     st.global Y[cta.x, rev, :], r
//   }
#ifndef TILESIM_CHECKERS_GRID_FIXED_PLACES_H_
#define TILESIM_CHECKERS_GRID_FIXED_PLACES_H_

#include <set>

#include "checkers/grid/accesses.h"
#include "checkers/grid/unordered.h"

namespace tilesim::checkers::grid {

// Whether two executions in one CTA touch the same elements is the same in all
// of them, so that one shows it. docs/all_sizes.md 5.3.
std::set<SitePair> OfFixedPlaces(const machine::Code& code,
                                 const Accesses& accesses);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_FIXED_PLACES_H_
