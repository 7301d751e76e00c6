// The data side of every op: one function an op, found through a table. An op
// without one does not link.
#ifndef TILESIM_SIM_MACHINE_DATA_COMPUTE_H_
#define TILESIM_SIM_MACHINE_DATA_COMPUTE_H_

#include "ir/ops/all.h"
#include "sim/machine/data/job.h"

namespace tilesim::machine {

#define TILE_OP(Name) void Compute(ir::ops::Name, Job& job);
#include "ir/ops.def"
#undef TILE_OP

// Performs the op of `job`.
void ComputeAny(Job& job);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_COMPUTE_H_
