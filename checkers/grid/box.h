// The box of a tensor that an operand names, as index arithmetic.
#ifndef TILESIM_CHECKERS_GRID_BOX_H_
#define TILESIM_CHECKERS_GRID_BOX_H_

#include "checkers/grid/accesses.h"
#include "checkers/grid/scalars.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// Fills in where `out` starts and how far it extends, by what the scalars are
// at this point of the text.
void PlaceBox(const ir::Ref& ref, const ir::Decl& decl, Scalars& scalars,
              Access& out);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_BOX_H_
