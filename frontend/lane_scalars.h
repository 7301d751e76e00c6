// Scalars that some lanes of a warp set. Each thread has scalars of its own, so
// what one lane sets the others do not know; a check and a run keep one value a
// warp, so reading it elsewhere would mean something else on the hardware.
#ifndef TILESIM_FRONTEND_LANE_SCALARS_H_
#define TILESIM_FRONTEND_LANE_SCALARS_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// scope/divergent: a `var` is set by some lanes (elect, lane, thread) and read
// by others.
void CheckLaneScalars(const ir::Kernel& kernel, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LANE_SCALARS_H_
