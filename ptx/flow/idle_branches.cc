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

bool Has(const Node& node, std::string_view word) {
  return node.instruction().opcode.find(word) != std::string_view::npos;
}

// The only node of the block of that opcode; nullptr: there is none, or
// another.
const Node* OnlyOne(const Graph& graph, const Block& block,
                    std::string_view opcode) {
  const Node* found = nullptr;
  for (int32_t i = block.first; i < block.last; ++i) {
    const Node& n = graph.nodes[i];
    if (n.op == nullptr || n.op->opcode != opcode) continue;
    if (found != nullptr) return nullptr;
    found = &n;
  }
  return found;
}

std::vector<int32_t> Uses(const Node& node) {
  std::vector<int32_t> out = node.reads;
  out.insert(out.end(), node.data.begin(), node.data.end());
  std::sort(out.begin(), out.end());
  return out;
}

bool Defines(const Node& node, int32_t reg) {
  return std::find(node.defines.begin(), node.defines.end(), reg) !=
         node.defines.end();
}

// Whether the block only computes, and goes on to the next, where alone that
// comes from, or to where the ways of that meet.
bool GivesUpAt(const Graph& graph, int32_t head, int32_t at) {
  const Block& h = graph.blocks[head];
  const int32_t join = graph.blocks[at].post_dominator;
  if (head + 1 != at || h.next.size() != 2 || h.first == h.last) return false;
  const Node& last = graph.nodes[h.last - 1];
  const bool leaves = last.op != nullptr && last.op->opcode == "bra" &&
                      last.guard >= 0 && last.targets.size() == 1 &&
                      last.targets[0] == join && h.post_dominator == join;
  for (size_t b = 0; b < graph.blocks.size(); ++b) {
    const std::vector<int32_t>& next = graph.blocks[b].next;
    if (static_cast<int32_t>(b) != head &&
        std::find(next.begin(), next.end(), at) != next.end())
      return false;
  }
  return leaves && std::all_of(graph.nodes.begin() + h.first,
                               graph.nodes.begin() + h.last, OnlyComputes);
}

// A loop that tries to replace a word by a function of what it held:
//
//   LOOP: ...; atom.cas.b32 %got, [%a], %was, %new;
//   setp.ne.s32 %again, %was, %got; mov.u32 %was, %got; @%again bra LOOP;
//
// It fails only if another thread has succeeded in between, and tries with what
// it got: some thread always gets on, so that all do in the end. A lock, which
// waits for one number, does not take what it got.
//
// Before it tries, it may give up, as what the word holds will do: the block at
// which it begins again then has a branch to where the loop ends.
std::optional<Computing> ReplacingAt(const Graph& graph, int32_t node) {
  const Node& n = graph.nodes[node];
  const int32_t at = graph.BlockOf(node);
  const Block& block = graph.blocks[at];
  const bool branches = n.op != nullptr && n.op->opcode == "bra" &&
                        n.guard >= 0 && node + 1 == block.last &&
                        block.post_dominator >= 0 && block.next.size() == 2 &&
                        n.targets.size() == 1;
  if (!branches) return std::nullopt;
  const int32_t head = n.targets[0];
  const bool loops = (block.next[0] == head) != (block.next[1] == head);
  if (!loops || (head != at && !GivesUpAt(graph, head, at)))
    return std::nullopt;
  const Node* cas = OnlyOne(graph, block, "atom");
  if (cas == nullptr || !Has(*cas, ".cas") || Has(*cas, ".acq") ||
      cas->guard >= 0 || cas->defines.size() != 1 ||
      cas->instruction().operands.size() != 4)
    return std::nullopt;
  const Operand& compared = cas->instruction().operands[2];
  const int32_t got = cas->defines[0];
  const int32_t was = cas->data.empty() ? -1 : cas->data[0];
  if (was < 0 || compared.kind != Operand::Kind::kName ||
      graph.registers[static_cast<size_t>(was)] != compared.name)
    return std::nullopt;
  const std::vector<int32_t> both = {std::min(was, got), std::max(was, got)};
  const std::string_view unlike =
      n.instruction().guard.negated ? "setp.eq." : "setp.ne.";
  std::vector<int32_t> defines;
  bool compares = false, takes = false;
  for (int32_t i = graph.blocks[head].first; i < block.last; ++i) {
    const Node& one = graph.nodes[i];
    if (&one != cas && !OnlyComputes(one)) return std::nullopt;
    defines.insert(defines.end(), one.defines.begin(), one.defines.end());
    if (Defines(one, n.guard)) {
      compares = one.instruction().opcode.starts_with(unlike) &&
                 !Has(one, ".f") && one.guard < 0 && Uses(one) == both;
      if (!compares) return std::nullopt;
    }
    if (!Defines(one, was)) continue;
    takes = one.op->opcode == "mov" && one.guard < 0 && &one > cas &&
            Uses(one) == std::vector<int32_t>{got};
    if (!takes) return std::nullopt;
  }
  // It is the same word in each round.
  const bool moves =
      std::any_of(cas->reads.begin(), cas->reads.end(), [&](int32_t reg) {
        return std::find(defines.begin(), defines.end(), reg) != defines.end();
      });
  if (!compares || !takes || moves) return std::nullopt;
  return Computing{node, block.post_dominator, std::move(defines)};
}

}  // namespace

std::vector<Computing> ComputingBranches(const Graph& graph) {
  std::vector<Computing> out;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (auto loop = ReplacingAt(graph, static_cast<int32_t>(i))) {
      // Its round is one that tries.
      const int32_t head = graph.nodes[i].targets[0];
      const int32_t at = graph.BlockOf(static_cast<int32_t>(i));
      if (head != at)
        out.push_back({graph.blocks[head].last - 1, at, loop->defines});
      out.push_back(std::move(*loop));
    }
    if (auto branch = ComputingAt(graph, static_cast<int32_t>(i)))
      out.push_back(std::move(*branch));
  }
  return out;
}

}  // namespace tilesim::ptx
