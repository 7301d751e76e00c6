// CTAs that a condition may choose to do something: the first along a dimension
// of the grid, the last, or one in each cluster.
#ifndef TILESIM_CHECKERS_GRID_SOME_CTAS_H_
#define TILESIM_CHECKERS_GRID_SOME_CTAS_H_

#include <array>
#include <vector>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

struct SomeCtas {
  Formula are;
  std::array<Linear, 3> ctas;  // along each dimension so many, or more
};

// Adds to `all.terms`.
std::vector<SomeCtas> ChoicesOfCtas(Accesses& all);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_SOME_CTAS_H_
