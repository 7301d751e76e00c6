// Loops that count elements, as those that count tiles:
// `for i in cta.x * T..N step grid.x * T`.
#ifndef TILESIM_CHECKERS_GRID_IN_UNITS_H_
#define TILESIM_CHECKERS_GRID_IN_UNITS_H_

#include "checkers/grid/accesses.h"
#include "checkers/grid/terms.h"

namespace tilesim::checkers::grid {

// Makes bounds and step of the loop a number of the largest unit of which begin
// and step are multiples; nothing is changed if that is 1 (docs/all_sizes.md
// 5.4). The counter stays what it is.
void CountInUnits(Access::Iteration& loop, Terms& terms);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_IN_UNITS_H_
