#include "ptx/flow/rounds.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilesim::ptx {

Carried::Carried(const Graph& graph, const Loop& loop)
    : graph_(graph), loop_(loop) {
  for (int32_t b : loop.blocks) {
    for (int32_t i = graph.blocks[b].first; i < graph.blocks[b].last; ++i)
      for (int32_t reg : graph.nodes[i].defines) defined_.insert(reg);
  }
  // A round visits a block at most once; what all ways to it define is known.
  Visit(loop.head, {});
}

void Carried::Visit(int32_t block, std::set<int32_t> before) {
  auto [at, fresh] = seen_.try_emplace(block, before);
  if (!fresh) {
    std::set<int32_t> both;
    std::set_intersection(before.begin(), before.end(), at->second.begin(),
                          at->second.end(), std::inserter(both, both.end()));
    if (both == at->second) return;
    at->second = before = both;
  }
  const Block& b = graph_.blocks[block];
  for (int32_t i = b.first; i < b.last; ++i) Execute(graph_.nodes[i], before);
  for (int32_t next : b.next) {
    bool inside =
        std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), next);
    if (inside && next != loop_.head) Visit(next, before);
  }
}

void Carried::Execute(const Node& node, std::set<int32_t>& before) {
  auto read = [&](int32_t reg) {
    if (reg >= 0 && defined_.contains(reg) && !before.contains(reg))
      carried_.insert(reg);
  };
  read(node.guard);
  for (int32_t reg : node.reads) read(reg);
  for (int32_t reg : node.data) read(reg);
  if (node.guard >= 0) return;  // it may not define what it names
  before.insert(node.defines.begin(), node.defines.end());
}

bool Reads(const Node& node, const std::set<int32_t>& registers) {
  auto in = [&](int32_t reg) { return registers.contains(reg); };
  return in(node.guard) ||
         std::any_of(node.reads.begin(), node.reads.end(), in) ||
         std::any_of(node.data.begin(), node.data.end(), in);
}

std::set<int32_t> DependOnRounds(const Graph& graph, const Loop& loop,
                                 const std::set<int32_t>& by_last) {
  std::set<int32_t> out = Carried(graph, loop).registers();
  for (int32_t b : loop.blocks) {
    for (int32_t i = graph.blocks[b].first; i < graph.blocks[b].last; ++i) {
      for (int32_t reg : graph.nodes[i].defines)
        if (!by_last.contains(reg)) out.insert(reg);
    }
  }
  for (size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    for (int32_t b : loop.blocks) {
      for (int32_t i = graph.blocks[b].first; i < graph.blocks[b].last; ++i) {
        const Node& node = graph.nodes[i];
        if (Reads(node, out))
          out.insert(node.defines.begin(), node.defines.end());
      }
    }
  }
  return out;
}

Liveness::Liveness(const Graph& graph, std::set<int32_t> registers)
    : graph_(graph), registers_(std::move(registers)) {}

bool Liveness::AnyAt(int32_t block) {
  return std::any_of(registers_.begin(), registers_.end(), [&](int32_t reg) {
    seen_.assign(graph_.blocks.size(), false);
    return IsRead(reg, {block});
  });
}

bool Liveness::AnyBehind(int32_t node) {
  const Block& block = graph_.blocks[graph_.BlockOf(node)];
  return std::any_of(registers_.begin(), registers_.end(), [&](int32_t reg) {
    seen_.assign(graph_.blocks.size(), false);
    return InNodes(reg, node + 1, block.last).value_or(false) ||
           (!InNodes(reg, node + 1, block.last) && IsRead(reg, block.next));
  });
}

bool Liveness::IsRead(int32_t reg, std::vector<int32_t> todo) {
  while (!todo.empty()) {
    const int32_t at = todo.back();
    todo.pop_back();
    if (at >= std::ssize(graph_.blocks) || seen_[at]) continue;
    seen_[at] = true;
    const Block& block = graph_.blocks[at];
    const std::optional<bool> here = InNodes(reg, block.first, block.last);
    if (here == true) return true;
    if (here) continue;
    todo.insert(todo.end(), block.next.begin(), block.next.end());
  }
  return false;
}

std::optional<bool> Liveness::InNodes(int32_t reg, int32_t first,
                                      int32_t last) const {
  for (int32_t i = first; i < last; ++i) {
    const Node& node = graph_.nodes[i];
    if (Reads(node, {reg})) return true;
    const auto& defines = node.defines;
    if (node.guard < 0 &&
        std::find(defines.begin(), defines.end(), reg) != defines.end())
      return false;
  }
  return std::nullopt;
}

}  // namespace tilesim::ptx
