// Whether the elements of a tensor lie apart in memory, at every size, and what
// is accessed of them does not share bytes with others: asked of the solver.
#ifndef TILESIM_CHECKERS_GRID_STRIDES_H_
#define TILESIM_CHECKERS_GRID_STRIDES_H_

#include <cstdint>

#include "checkers/grid/accesses.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

// False: it was not shown. `decl`: one of accesses.tensors.
bool OnePlaceEach(const Accesses& accesses, int32_t decl,
                  const solver::Effort& effort);

// Of elements of less than a byte: whether each row of what is accessed begins
// and ends between two bytes. Who stores some of a byte stores all of it.
bool InWholeBytes(const Accesses& accesses, const Access& access,
                  const solver::Effort& effort);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_STRIDES_H_
