// Whether the elements of a tensor lie apart in memory, at every size: asked of
// the solver.
#ifndef TILESIM_CHECKERS_GRID_STRIDES_H_
#define TILESIM_CHECKERS_GRID_STRIDES_H_

#include <cstdint>

#include "checkers/grid/accesses.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

// False: it was not shown. `decl`: one of accesses.tensors.
bool OnePlaceEach(const Accesses& accesses, int32_t decl,
                  const solver::Effort& effort);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_STRIDES_H_
