#include "ptx/machine/words_beside.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ptx/machine/launch_numbers.h"

namespace tilesim::ptx {
namespace {

constexpr int kMostAdded = 8;

// The register to which constants are added to make this one.
int32_t BaseOf(const Graph& graph, int32_t reg) {
  for (int step = 0; step < kMostAdded; ++step) {
    const Node* n = OnlyDefinition(graph, reg);
    if (n == nullptr || n->op == nullptr || n->guard >= 0 ||
        n->reads.size() != 1 || n->defines.size() != 1)
      return reg;
    const std::string_view opcode = n->op->opcode;
    if (opcode != "add" && opcode != "mov" && opcode != "cvta") return reg;
    reg = n->reads[0];
  }
  return reg;
}

// What it is, and from where; -1: it is no load of that kind.
std::pair<std::string_view, int32_t> KindOf(const Graph& graph, const Node& n) {
  constexpr std::string_view kLoad = "ld.global.";
  if (n.op == nullptr || n.reads.size() != 1) return {{}, -1};
  const std::string_view spelling = n.instruction().opcode;
  if (!spelling.starts_with(kLoad)) return {{}, -1};
  const int32_t base = BaseOf(graph, n.reads[0]);
  return {spelling, OnlyDefinition(graph, base) == nullptr ? -1 : base};
}

}  // namespace

std::map<int32_t, size_t> WordsBeside(const Graph& graph,
                                      const std::map<int32_t, size_t>& words) {
  std::map<std::pair<std::string_view, int32_t>, size_t> kinds;
  for (const auto& [node, buffer] : words) {
    const auto kind = KindOf(graph, graph.nodes[static_cast<size_t>(node)]);
    if (kind.second >= 0) kinds.emplace(kind, buffer);
  }
  std::map<int32_t, size_t> out;
  for (size_t i = 0; i < graph.nodes.size() && !kinds.empty(); ++i) {
    const auto kind = kinds.find(KindOf(graph, graph.nodes[i]));
    if (kind != kinds.end()) out.emplace(static_cast<int32_t>(i), kind->second);
  }
  return out;
}

}  // namespace tilesim::ptx
