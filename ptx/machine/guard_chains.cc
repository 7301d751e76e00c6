#include "ptx/machine/guard_chains.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ptx/machine/launch_numbers.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

constexpr int kMostSteps = 8;

int32_t NumberOf(const Graph& graph, const Node& n) {
  return static_cast<int32_t>(&n - graph.nodes.data());
}

// Whether control may come to it again, natural loop or not.
bool MayRepeat(const Graph& graph, int32_t block) {
  std::vector<bool> seen(graph.blocks.size());
  std::vector<int32_t> ahead = graph.blocks[static_cast<size_t>(block)].next;
  while (!ahead.empty()) {
    const int32_t at = ahead.back();
    ahead.pop_back();
    if (at == block) return true;
    if (seen[static_cast<size_t>(at)]) continue;
    seen[static_cast<size_t>(at)] = true;
    const std::vector<int32_t>& next =
        graph.blocks[static_cast<size_t>(at)].next;
    ahead.insert(ahead.end(), next.begin(), next.end());
  }
  return false;
}

const Node* MadeOnce(const Graph& graph, int32_t reg) {
  const Node* n = OnlyDefinition(graph, reg);
  if (n == nullptr || n->op == nullptr || n->guard >= 0) return nullptr;
  return MayRepeat(graph, graph.BlockOf(NumberOf(graph, *n))) ? nullptr : n;
}

// Whether the predicate `reg` (or its negation) holds only where `of` does.
bool Implies(const Graph& graph, int32_t reg, bool negated, int32_t of,
             bool of_negated, int steps) {
  const Node* n = steps < kMostSteps ? MadeOnce(graph, reg) : nullptr;
  if (n == nullptr) return false;
  if (reg == of) return negated == of_negated;
  if (negated || !n->instruction().opcode.starts_with("and.pred")) return false;
  const std::vector<Leaf> leaves = LeavesOf(graph, *n);
  return std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
    return leaf.of > 0 && leaf.reg >= 0 &&
           Implies(graph, leaf.reg, leaf.operand->negated, of, of_negated,
                   steps + 1);
  });
}

bool Has(const std::vector<int32_t>& regs, int32_t reg) {
  return std::find(regs.begin(), regs.end(), reg) != regs.end();
}

bool Reads(const Node& n, int32_t reg) {
  return n.guard == reg || Has(n.reads, reg) || Has(n.data, reg);
}

}  // namespace

bool ImpliesGuard(const Graph& graph, const Node& n, const Node& load) {
  if (load.guard < 0) return true;
  return n.guard >= 0 &&
         Implies(graph, n.guard, n.instruction().guard.negated, load.guard,
                 load.instruction().guard.negated, 0);
}

bool IsSetBefore(const Graph& graph, const Node& load, int32_t reg) {
  const int32_t at = NumberOf(graph, load);
  const Block& block = graph.blocks[static_cast<size_t>(graph.BlockOf(at))];
  if (Reads(load, reg)) return false;
  int32_t first = at;
  for (const Node& n : graph.nodes) {
    const int32_t number = NumberOf(graph, n);
    if (number == at || !Has(n.defines, reg)) continue;
    const bool right = number >= block.first && number < at && n.guard < 0 &&
                       n.op != nullptr && n.op->opcode == "mov";
    if (!right) return false;
    first = std::min(first, number);
  }
  for (int32_t i = first; i < at; ++i) {
    if (Reads(graph.nodes[static_cast<size_t>(i)], reg)) return false;
  }
  return true;
}

}  // namespace tilesim::ptx
