#include <algorithm>
#include <set>
#include <utility>

#include "boost/graph/adjacency_list.hpp"
#include "boost/graph/dominator_tree.hpp"
#include "ptx/flow/graph.h"

namespace tilesim::ptx {
namespace {

using Boost =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// The immediate dominator of each vertex; -1: none.
std::vector<int32_t> DominatorsFrom(const Boost& graph, size_t root) {
  using Vertex = boost::graph_traits<Boost>::vertex_descriptor;
  const Vertex none = boost::graph_traits<Boost>::null_vertex();
  std::vector<Vertex> found(boost::num_vertices(graph), none);
  boost::lengauer_tarjan_dominator_tree(
      graph, root,
      boost::make_iterator_property_map(
          found.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<int32_t> out;
  for (Vertex v : found)
    out.push_back(v == none ? -1 : static_cast<int32_t>(v));
  return out;
}

// Whether the block ends the kernel by a fault.
bool Fails(const Node& last) {
  return last.op != nullptr &&
         (last.op->opcode == "trap" || last.op->opcode == "brkpt");
}

bool Dominates(const Graph& graph, int32_t a, int32_t b) {
  while (b != a && b >= 0) b = graph.blocks[b].dominator;
  return b == a;
}

}  // namespace

void FindDominators(Graph& graph) {
  size_t count = graph.blocks.size();
  if (count == 0) return;
  // One vertex more: where all ends of the body meet.
  Boost forward(count + 1), backward(count + 1);
  for (size_t b = 0; b < count; ++b) {
    for (int32_t to : graph.blocks[b].next) {
      boost::add_edge(b, to, forward);
      boost::add_edge(to, b, backward);
    }
    const Node& last = graph.nodes[graph.blocks[b].last - 1];
    // Nobody is waited for where ways meet who has trapped, with the kernel: so
    // they meet where they would without.
    if (Fails(last) && last.guard < 0 && b + 1 < count) {
      boost::add_edge(b + 1, b, backward);
      continue;
    }
    bool leaves =
        last.op != nullptr && last.op->kind == OpKind::kBranch &&
        last.targets.empty() &&
        (last.op->opcode != "call" || CalleeOf(last) == Callee::kAssertFail);
    if (leaves || graph.blocks[b].next.empty())
      boost::add_edge(count, b, backward);
  }
  std::vector<int32_t> before = DominatorsFrom(forward, 0);
  std::vector<int32_t> after = DominatorsFrom(backward, count);
  for (size_t b = 0; b < count; ++b) {
    graph.blocks[b].dominator = before[b];
    graph.blocks[b].post_dominator =
        after[b] == static_cast<int32_t>(count) ? -1 : after[b];
  }
}

void FindLoops(Graph& graph) {
  for (size_t b = 0; b < graph.blocks.size(); ++b) {
    auto tail = static_cast<int32_t>(b);
    for (int32_t head : graph.blocks[b].next) {
      if (!Dominates(graph, head, tail)) continue;
      std::set<int32_t> inside = {head};
      std::vector<int32_t> todo = {tail};
      while (!todo.empty()) {
        int32_t at = todo.back();
        todo.pop_back();
        if (!inside.insert(at).second) continue;
        const std::vector<int32_t>& previous = graph.blocks[at].previous;
        todo.insert(todo.end(), previous.begin(), previous.end());
      }
      graph.loops.push_back({head, {inside.begin(), inside.end()}});
    }
  }
  std::stable_sort(graph.loops.begin(), graph.loops.end(),
                   [](const Loop& a, const Loop& b) {
                     return a.blocks.size() < b.blocks.size();
                   });
}

}  // namespace tilesim::ptx
