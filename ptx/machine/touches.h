// Where a kernel touches registers that a wgmma may have in flight.
//
// Between two operations of a block nothing can begin or end to be in flight,
// so that all touches between them are as good as one, by the first of them.
#ifndef TILESIM_PTX_MACHINE_TOUCHES_H_
#define TILESIM_PTX_MACHINE_TOUCHES_H_

#include <cstdint>
#include <map>
#include <set>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

struct Touch {
  std::set<int32_t> reads, writes;  // registers of the graph
};

// By the node before which they count.
std::map<int32_t, Touch> TouchesOf(const Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_TOUCHES_H_
