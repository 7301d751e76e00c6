// The kernels of a file are launched with one value of each parameter, so what
// one of them requires of parameters holds for all that have these.
#ifndef TILESIM_FRONTEND_SHARED_REQUIREMENTS_H_
#define TILESIM_FRONTEND_SHARED_REQUIREMENTS_H_

#include "ir/program.h"

namespace tilesim::frontend {

// Gives every kernel the requirements of the others that name no parameter but
// its own, one at least. After names are resolved; no item shows them, so that
// they are not printed. Constants that they need come along.
void ShareRequirements(ir::Program& program);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_SHARED_REQUIREMENTS_H_
