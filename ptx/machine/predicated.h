// Forward branches that ptxas leaves out: it executes what they jump over under
// their predicate instead, if that is short and has no need of a branch. A
// branch takes 25 cycles of a warp, so that a load behind a test of its bounds
// would take longer than it does.
//
// How short, and over what, was read off what ptxas makes of such branches
// (tests/ptx/timing/ptxas.py does so again).
#ifndef TILESIM_PTX_MACHINE_PREDICATED_H_
#define TILESIM_PTX_MACHINE_PREDICATED_H_

#include <cstdint>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

bool IsPredicated(const Graph& graph, int32_t branch);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_PREDICATED_H_
