// The control flow of one body: instructions with their registers, blocks,
// dominators, loops.
//
//   Graph graph = BuildGraph(function, diagnostics);
//   for (const Node& node : graph.nodes) node.op, node.defines, node.reads
//
// Labels, scopes and declarations are resolved here: two registers of one name
// in different scopes are two registers.
#ifndef TILESIM_PTX_FLOW_GRAPH_H_
#define TILESIM_PTX_FLOW_GRAPH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "ptx/isa/isa.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

// An instruction. Registers are numbers, dense in the body.
struct Node {
  const Statement* statement = nullptr;
  const Op* op = nullptr;  // null: not known; it then defines and reads nothing
  std::vector<int32_t> defines;
  std::vector<int32_t> reads;  // what decides: addresses, counts, sources
  std::vector<int32_t> data;   // what is passed on only
  int32_t guard = -1;
  std::vector<int32_t> targets;  // blocks, of a branch

  const Instruction& instruction() const { return statement->instruction; }
  // As it is written, with its modifiers: "ld.shared.u32".
  std::string_view spelling() const { return instruction().opcode; }
};

// Calls of what CUDA's device library has: an assertion that failed, which ends
// the kernel, and printf, which touches no memory of the program.
enum class Callee : uint8_t { kOther, kAssertFail, kPrintf };
Callee CalleeOf(const Node& node);

struct Block {
  int32_t first = 0, last = 0;  // nodes [first, last)
  std::vector<int32_t> next, previous;
  // -1: none, as of the first block, of what is not reached, and of a block
  // from which the end is not.
  int32_t dominator = -1, post_dominator = -1;
};

// A natural loop: the blocks from which an edge back to `head` is reached.
struct Loop {
  int32_t head = 0;
  std::vector<int32_t> blocks;  // ascending
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<std::string> registers;  // names, as they were written
  std::vector<int> register_bits;      // their widths; of a predicate 1
  std::vector<Block> blocks;
  std::vector<Loop> loops;  // smallest first
  // By register: the node that alone defines it; -1: none does, or several.
  std::vector<int32_t> defined_by;

  int32_t BlockOf(int32_t node) const;
};

// An undeclared register or a branch to no label is an error.
Graph BuildGraph(const Function& function, ir::Diagnostics& diagnostics);

// Fills the dominators of blocks.
void FindDominators(Graph& graph);
// Finds the loops; dominators must be there.
void FindLoops(Graph& graph);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_GRAPH_H_
