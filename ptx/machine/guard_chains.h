// Who has what a guarded load has put into a register.
//
//   mov.u32 %r1, 0;
//   @%p1 ld.global.b32 %r1, [%rd1];
//   and.pred %p3, %p1, %p2;
//   @%p3 st.global.b32 [%rd2], %r5;     // threads that have loaded
#ifndef TILESIM_PTX_MACHINE_GUARD_CHAINS_H_
#define TILESIM_PTX_MACHINE_GUARD_CHAINS_H_

#include <cstdint>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// Whether threads that execute `n` also have executed `load`, if they came to
// it: the guard of `n` is that of the load, or a conjunction that has it. What
// makes guards is executed once, so that each is the same wherever it is read.
bool ImpliesGuard(const Graph& graph, const Node& n, const Node& load);

// Whether all else that defines the register is a `mov` right before the load,
// of which nobody reads the result but by the guard of the load.
bool IsSetBefore(const Graph& graph, const Node& load, int32_t reg);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_GUARD_CHAINS_H_
