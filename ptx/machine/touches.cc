#include "ptx/machine/touches.h"

#include <vector>

namespace tilesim::ptx {
namespace {

// Its registers are in flight behind it.
bool IsInFlight(const Node& n) {
  return n.op != nullptr &&
         (n.op->opcode == "wgmma.mma_async" || n.op->opcode == "tcgen05.ld");
}

// Those that such instructions read or write.
std::vector<bool> Multiplied(const Graph& graph) {
  std::vector<bool> out(graph.registers.size());
  for (const Node& n : graph.nodes) {
    if (!IsInFlight(n)) continue;
    for (int32_t reg : n.defines) out[reg] = true;
    for (int32_t reg : n.data) out[reg] = true;
  }
  return out;
}

}  // namespace

std::map<int32_t, Touch> TouchesOf(const Graph& graph) {
  std::map<int32_t, Touch> out;
  const std::vector<bool> multiplied = Multiplied(graph);
  for (const Block& block : graph.blocks) {
    Touch* open = nullptr;
    for (int32_t i = block.first; i < block.last; ++i) {
      const Node& n = graph.nodes[i];
      if (n.op == nullptr) continue;
      auto touched = [&](const std::vector<int32_t>& regs, auto set) {
        for (int32_t reg : regs) {
          if (!multiplied[reg]) continue;
          if (open == nullptr) open = &out[i];
          (open->*set).insert(reg);
        }
      };
      if (!IsInFlight(n)) {
        touched(n.reads, &Touch::reads);
        touched(n.data, &Touch::reads);
        touched(n.defines, &Touch::writes);
      }
      if (n.op->kind == OpKind::kOp || n.op->kind == OpKind::kBranch)
        open = nullptr;
    }
  }
  return out;
}

}  // namespace tilesim::ptx
