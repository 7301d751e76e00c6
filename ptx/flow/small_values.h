// What few instructions compute of small numbers: those that compilers put
// between the answer of a wait and the branch by it.
#ifndef TILESIM_PTX_FLOW_SMALL_VALUES_H_
#define TILESIM_PTX_FLOW_SMALL_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "ptx/flow/graph.h"

namespace tilesim::ptx::small_values {

using Known = std::map<int32_t, int64_t>;  // values of registers
using Value = std::optional<int64_t>;

Value Register(int32_t reg, const Known& known);
// Operand `k` of a node; `next` walks through its registers.
Value Read(const Graph& graph, const Node& node, size_t k, size_t* next,
           const Known& known);
// Of setp: "setp.gt.s32".
Value Compare(std::string_view opcode, int64_t a, int64_t b);
// The result of a node that has one.
Value ValueOf(const Graph& graph, const Node& node, const Known& known);

// Whether it is the same in each type of integers.
inline bool IsSmall(int64_t n) { return n >= 0 && n < 1 << 15; }
// The modifier of that number, behind the name of the opcode.
std::string_view Modifier(std::string_view opcode, int number);

}  // namespace tilesim::ptx::small_values

#endif  // TILESIM_PTX_FLOW_SMALL_VALUES_H_
