// The operands of an instruction with their registers resolved.
#ifndef TILESIM_PTX_MACHINE_OPERANDS_H_
#define TILESIM_PTX_MACHINE_OPERANDS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/flow/graph.h"
#include "ptx/machine/program.h"
#include "sim/machine/state.h"

namespace tilesim::ptx {

// A name or a number in an operand, in the order of the text: the parts of
// {a, b}, p|q, [a+8, {x, y}] are leaves by themselves.
struct Leaf {
  const Operand* operand = nullptr;
  size_t of = 0;     // which operand of the instruction
  int32_t reg = -1;  // of the graph; -1: none
};

std::vector<Leaf> LeavesOf(const Graph& graph, const Node& node);

// What a leaf is read as. nullopt: a name that means nothing here. An address
// [%r+4] of a register of 32 bits is one of 32 bits: compilers count a loop's
// address up from below 0.
std::optional<Source> SourceOf(const Leaf& leaf, const Graph& graph,
                               const Memory& memory, Type type = Type::kB64);

// The number that a register always holds: it is defined once, by a mov of that
// number, or of a register that always holds it, that every thread executes.
std::optional<uint64_t> ConstantIn(const Graph& graph, int32_t reg);

// "%tid.x"; kNone: no special register that is known.
Special SpecialNamed(std::string_view name);

// Threads of a CTA may hold different numbers in it.
bool DiffersByThread(Special special);

// What it holds in a thread of that CTA, by its number there.
uint64_t NumberOf(Special special, const Memory& memory,
                  const machine::Cta& cta, int64_t thread);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_OPERANDS_H_
