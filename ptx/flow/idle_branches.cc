#include "ptx/flow/idle_branches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace tilesim::ptx {
namespace {

// It sets registers of its thread, whatever other threads do.
bool OnlyComputes(const Node& node) {
  if (node.op == nullptr) return false;
  std::string_view spelling = node.instruction().opcode;
  if (spelling.starts_with("nanosleep")) return true;
  const bool jump = node.op->opcode == "bra";
  const bool value = node.op->kind == OpKind::kValue &&
                     node.op->unit != Unit::kCrossLane &&
                     node.op->unit != Unit::kTensorCore;
  return jump || value;
}

// Blocks from `from` up to `join`, each of which only computes; nullopt: one
// does more, or a way goes back.
class Ways {
 public:
  Ways(const Graph& graph, int32_t join) : graph_(graph), join_(join) {}

  bool Add(int32_t block) {
    if (block == join_) return true;
    if (state_.size() > kMostBlocks) return false;
    auto [at, fresh] = state_.try_emplace(block, State::kOpen);
    if (!fresh) return at->second == State::kDone;
    const Block& b = graph_.blocks[block];
    for (int32_t i = b.first; i < b.last; ++i) {
      const Node& node = graph_.nodes[i];
      if (!OnlyComputes(node)) return false;
      defines_.insert(defines_.end(), node.defines.begin(), node.defines.end());
    }
    const bool all =
        !b.next.empty() && std::all_of(b.next.begin(), b.next.end(),
                                       [&](int32_t next) { return Add(next); });
    state_[block] = State::kDone;
    return all;
  }
  std::vector<int32_t> Take() { return std::move(defines_); }

 private:
  static constexpr size_t kMostBlocks = 64;
  enum class State : uint8_t { kOpen, kDone };
  const Graph& graph_;
  const int32_t join_;
  std::map<int32_t, State> state_;
  std::vector<int32_t> defines_;
};

std::optional<Computing> ComputingAt(const Graph& graph, int32_t node) {
  const Node& n = graph.nodes[node];
  const Block& block = graph.blocks[graph.BlockOf(node)];
  const bool branches = n.op != nullptr && n.op->opcode == "bra" &&
                        n.guard >= 0 && node + 1 == block.last &&
                        block.post_dominator >= 0;
  if (!branches) return std::nullopt;
  Ways ways(graph, block.post_dominator);
  for (int32_t next : block.next) {
    // Its own block would be a way back.
    if (next == graph.BlockOf(node) || !ways.Add(next)) return std::nullopt;
  }
  return Computing{node, block.post_dominator, ways.Take()};
}

}  // namespace

std::vector<Computing> ComputingBranches(const Graph& graph) {
  std::vector<Computing> out;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (auto branch = ComputingAt(graph, static_cast<int32_t>(i)))
      out.push_back(std::move(*branch));
  }
  return out;
}

}  // namespace tilesim::ptx
