// What a number is made of.
#ifndef TILESIM_CHECKERS_GRID_DEPENDS_H_
#define TILESIM_CHECKERS_GRID_DEPENDS_H_

#include <set>

#include "checkers/grid/terms.h"

namespace tilesim::checkers::grid {

// Whether any of these has a say in it, by itself or through definitions.
bool Depends(const Terms& terms, const Linear& l, const std::set<Var>& on);
bool Depends(const Terms& terms, const Formula& f, const std::set<Var>& on);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_DEPENDS_H_
