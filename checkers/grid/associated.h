// Products of products: of them the solver knows what each is made of, and not
// that x * (y * z) is (x * y) * z.
#ifndef TILESIM_CHECKERS_GRID_ASSOCIATED_H_
#define TILESIM_CHECKERS_GRID_ASSOCIATED_H_

#include "checkers/grid/terms.h"

namespace tilesim::checkers::grid {

// x * y, and that it is a * (b * y) where x is a * b, and likewise of y.
Linear Associated(Terms& terms, const Linear& x, const Linear& y);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_ASSOCIATED_H_
