// Loops that go around as often as a number says which is divided by one that
// varies:
//
//   let count = cdiv(TILES - cta.x, grid.x)
//   for t in 0..count
//
// How often that is cannot be said by a polynomial. But t is below the quotient
// exactly where t * grid.x is below what is divided, and that is a comparison
// of polynomials. A kernel with that comparison does the same.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_QUOTIENT_BOUNDS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_QUOTIENT_BOUNDS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Compares products in place of quotients. `defines`: of constants. False:
// nothing is compared with a quotient by a number that varies.
bool CompareProducts(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_QUOTIENT_BOUNDS_H_
