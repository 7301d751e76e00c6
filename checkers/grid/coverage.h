// Whether a kernel stores every element of a tensor, at every size, by
// counting:
//
//   Lay cells of the shape that each store has over the tensor, and beyond its
//   ends. If each store begins at the begin of one of m * n cells, which cover
//   the tensor, no two executions store the same cell, and there are m * n
//   executions, then each cell is stored.
//
// The first three are questions to the solver. How often a store is executed is
// read off its loops: the CTAs times the iterations, and of `for t in cta.x..T
// step grid.x` it is T in all CTAs together, since each t below T leaves one
// remainder when it is divided by grid.x. m and n are factors of that number.
#ifndef TILESIM_CHECKERS_GRID_COVERAGE_H_
#define TILESIM_CHECKERS_GRID_COVERAGE_H_

#include <cstdint>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

// False: it was not shown. `code`: of which `accesses` are.
bool StoresAll(const Accesses& accesses, const machine::Code& code,
               const Words& words, int32_t decl);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_COVERAGE_H_
