// What the clock charges for instructions that are no operations: a guide that
// leaves payload out does not come to them, so that each step has what lies
// between the one before and it.
//
// PTX is not what runs: ptxas folds constants into addresses, moves what a loop
// does not change out of it, and needs no moves. That is left out here, too.
#ifndef TILESIM_PTX_MACHINE_PASSED_H_
#define TILESIM_PTX_MACHINE_PASSED_H_

#include <cstdint>
#include <vector>

#include "ptx/flow/graph.h"
#include "sim/machine/machine.h"

namespace tilesim::ptx {

// By node. `waits`: the tests of loops that only wait; their branches are part
// of the wait.
std::vector<machine::Passed> PassedOf(const Graph& graph,
                                      const std::vector<bool>& waits);

// By node: the loads (nodes) whose results it is the first of its block to
// need.
std::vector<std::vector<int32_t>> AwaitedLoads(const Graph& graph);

// How many 32-bit registers hold values at once, where most do.
int64_t MostLiveRegisters(const Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_PASSED_H_
