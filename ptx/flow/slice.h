// The slice that decides control: what branches, waits, guards of operations,
// addresses and descriptors are computed from. The rest only moves payload.
//
// Registers are followed without regard to order: if one definition of a
// register is in the slice, all are. What comes out of memory is named: such a
// load is in the slice, and the stores that feed it are for a run to find.
#ifndef TILESIM_PTX_FLOW_SLICE_H_
#define TILESIM_PTX_FLOW_SLICE_H_

#include <cstdint>
#include <vector>

#include "ptx/flow/graph.h"
#include "ptx/flow/idle_branches.h"

namespace tilesim::ptx {

enum class Plane : uint8_t {
  kOp,       // orders, waits, works asynchronously; branches
  kAccess,   // memory in program order
  kControl,  // its value decides something
  kPayload,  // it does not
  kUnknown,  // an instruction without a row
};

// Payload that all lanes of a warp have to execute together (.aligned): who
// does is judged.
bool IsAligned(const Node& node);

// A load (ld.global.nc) from a variable of the module, at constant distances
// from its beginning that loops count up: a table, which nobody writes.
bool ReadsTable(const Graph& graph, const Node& node);

// The plane of each node.
std::vector<Plane> PlanesOf(const Graph& graph);

// Likewise, where threads go straight on to where the ways of a branch meet if
// nothing that decides depends on which one is taken (idle_branches.h).
struct Straightened {
  std::vector<Plane> planes;
  std::vector<int32_t> straight;  // by node: the block; -1: it decides
};
Straightened Straighten(const Graph& graph);

// Loads, other than of parameters, whose results decide something.
std::vector<int32_t> ControlLoads(const Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_SLICE_H_
