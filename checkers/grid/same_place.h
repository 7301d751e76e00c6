// Which warps of a CTA make an access together: at one place, of which they
// have parts that no size changes.
#ifndef TILESIM_CHECKERS_GRID_SAME_PLACE_H_
#define TILESIM_CHECKERS_GRID_SAME_PLACE_H_

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

// In the same iteration of each loop around it.
Together WhoMakes(const Accesses& accesses, const Access& access);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_SAME_PLACE_H_
