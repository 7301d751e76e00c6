// Numbers that a launch fixes, the same in all threads: parameters, and what is
// made of them and of constants.
#ifndef TILESIM_PTX_MACHINE_LAUNCH_NUMBERS_H_
#define TILESIM_PTX_MACHINE_LAUNCH_NUMBERS_H_

#include <cstdint>
#include <map>
#include <optional>

#include "ptx/flow/graph.h"
#include "ptx/machine/memory.h"

namespace tilesim::ptx {

// The number that a register holds wherever it is read: one instruction alone
// defines it, without a guard, and computes it of such numbers. nullopt: it is
// no such register, or its number is not given.
std::optional<uint64_t> NumberAtLaunch(const Graph& graph, const Memory& memory,
                                       int32_t reg);

// That of each register that has one.
std::map<int32_t, int64_t> NumbersAtLaunch(const Graph& graph,
                                           const Memory& memory);

// The instruction that alone defines the register; nullptr: none, or several.
const Node* OnlyDefinition(const Graph& graph, int32_t reg);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_LAUNCH_NUMBERS_H_
