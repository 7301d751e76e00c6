// How many registers a thread begins with in a kernel that executes
// setmaxnreg.
#ifndef TILESIM_PTX_MACHINE_DEALT_H_
#define TILESIM_PTX_MACHINE_DEALT_H_

#include <cstdint>

#include "ptx/flow/graph.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

bool ExecutesSetmaxnreg(const Graph& graph);

// As ptxas 13.0 gives them: `.maxnreg`; else where `.minnctapersm` stands
// beside
// `.maxntid` or `.reqntid`, what so many CTAs can have at once on an SM, and no
// more than setmaxnreg asks for. 0: it cannot tell, and then ignores setmaxnreg
// ("unable to determine register count at entry").
int64_t RegistersAtEntry(const Function& function, const Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_DEALT_H_
