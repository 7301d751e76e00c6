#include "ptx/flow/waits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace tilesim::ptx {
namespace {

bool IsWait(const Node& node) {
  return node.op != nullptr && (node.op->opcode == "mbarrier.try_wait" ||
                                node.op->opcode == "mbarrier.test_wait");
}

// One way round a loop, with what is known of its registers, where the node
// that it asks by returns `answer`.
class Round {
 public:
  Round(const Graph& graph, const Loop& loop, int32_t asks, int64_t answer)
      : graph_(graph), loop_(loop), asks_(graph.nodes[asks]), answer_(answer) {}

  // Where the round ends: at the head (true), or outside (false). nullopt: a
  // branch depends on what is not known here.
  std::optional<bool> ReturnsToHead() {
    int32_t block = loop_.head;
    for (size_t steps = 0; steps <= loop_.blocks.size(); ++steps) {
      std::optional<int32_t> next = Execute(graph_.blocks[block], block);
      if (!next) return std::nullopt;
      if (*next == loop_.head) return true;
      if (!std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), *next))
        return false;
      block = *next;
    }
    return std::nullopt;
  }

 private:
  using Value = std::optional<int64_t>;

  // The block that comes next.
  std::optional<int32_t> Execute(const Block& block, int32_t number) {
    for (int32_t i = block.first; i < block.last; ++i) {
      const Node& node = graph_.nodes[i];
      bool branches = node.op->kind == OpKind::kBranch;
      Value guard = Guard(node);
      if (!guard && branches) return std::nullopt;
      if (!guard) {
        for (int32_t reg : node.defines) known_.erase(reg);
      } else if (*guard != 0 && branches) {
        if (node.targets.size() != 1) return std::nullopt;
        return node.targets[0];
      } else if (*guard != 0) {
        Compute(node);
      }
    }
    return number + 1;
  }

  Value Guard(const Node& node) const {
    if (node.guard < 0) return 1;
    Value value = Register(node.guard);
    if (value) value = (*value != 0) != node.instruction().guard.negated;
    return value;
  }

  Value Register(int32_t reg) const {
    auto found = known_.find(reg);
    return found == known_.end() ? Value() : found->second;
  }

  // Operand `k` of a node; `next` walks through its registers.
  Value Read(const Node& node, size_t k, size_t* next) const {
    const Instruction& i = node.instruction();
    if (k >= i.operands.size()) return std::nullopt;
    const Operand& o = i.operands[k];
    if (o.kind == Operand::Kind::kNumber) return o.number.value();
    bool plain = o.kind == Operand::Kind::kName && !o.has_offset;
    if (!plain || *next >= node.reads.size()) return std::nullopt;
    // Special registers and symbols are none of the reads.
    if (graph_.registers[node.reads[*next]] != o.name) return std::nullopt;
    Value value = Register(node.reads[(*next)++]);
    if (value && o.negated) value = *value == 0;
    return value;
  }

  void Compute(const Node& node) {
    for (int32_t reg : node.defines) known_.erase(reg);
    if (node.defines.size() != 1) return;
    Value value = &node == &asks_ ? Value(answer_) : ValueOf(node);
    if (value) known_[node.defines[0]] = *value;
  }

  // Of the instructions that compilers put between a wait and its branch.
  Value ValueOf(const Node& node) const {
    std::string_view op = node.op->opcode;
    size_t next = 0;
    Value a = Read(node, 1, &next), b = Read(node, 2, &next),
          c = Read(node, 3, &next);
    if (op == "mov") return a;
    if (op == "not" && node.instruction().opcode == "not.pred" && a)
      return *a == 0;
    if (op == "selp" && c) return *c != 0 ? a : b;
    if (!a || !b) return std::nullopt;
    if (op == "and") return *a & *b;
    if (op == "or") return *a | *b;
    if (op == "xor") return *a ^ *b;
    if (op == "setp" && node.instruction().operands.size() == 3)
      return Compare(node.instruction().opcode, *a, *b);
    return std::nullopt;
  }

  static Value Compare(std::string_view opcode, int64_t a, int64_t b) {
    if (opcode.starts_with("setp.eq.")) return a == b;
    if (opcode.starts_with("setp.ne.")) return a != b;
    return std::nullopt;
  }

  const Graph& graph_;
  const Loop& loop_;
  const Node& asks_;
  const int64_t answer_;
  std::map<int32_t, int64_t> known_;
};

// Nothing in the loop but `asks` has an effect, and its instructions are known.
bool IsPure(const Graph& graph, const Loop& loop, int32_t asks) {
  for (int32_t b : loop.blocks) {
    for (int32_t i = graph.blocks[b].first; i < graph.blocks[b].last; ++i) {
      const Node& node = graph.nodes[i];
      if (node.op == nullptr || node.op->opcode == "call") return false;
      bool silent =
          node.op->kind == OpKind::kValue || node.op->kind == OpKind::kBranch;
      if (i != asks && (!silent || IsWait(node))) return false;
    }
  }
  return true;
}

// The registers that are read before they are defined in a round.
class Carried {
 public:
  Carried(const Graph& graph, const Loop& loop) : graph_(graph), loop_(loop) {
    for (int32_t b : loop.blocks) {
      for (int32_t i = graph.blocks[b].first; i < graph.blocks[b].last; ++i)
        for (int32_t reg : graph.nodes[i].defines) defined_.insert(reg);
    }
    // A round visits a block at most once; what all ways to it define is known.
    Visit(loop.head, {});
  }
  bool any() const { return any_; }

 private:
  void Visit(int32_t block, std::set<int32_t> before) {
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
      if (inside && next != loop_.head && !any_) Visit(next, before);
    }
  }

  void Execute(const Node& node, std::set<int32_t>& before) {
    auto read = [&](int32_t reg) {
      any_ |= reg >= 0 && defined_.contains(reg) && !before.contains(reg);
    };
    read(node.guard);
    for (int32_t reg : node.reads) read(reg);
    for (int32_t reg : node.data) read(reg);
    if (node.guard >= 0) return;  // it may not define what it names
    before.insert(node.defines.begin(), node.defines.end());
  }

  const Graph& graph_;
  const Loop& loop_;
  std::set<int32_t> defined_;
  std::map<int32_t, std::set<int32_t>> seen_;
  bool any_ = false;
};

constexpr size_t kMaxBlocks = 64;  // of a loop that only waits

// Whether the loop goes on while `asks` returns 0, and ends with `value`.
bool OnlyAsks(const Graph& graph, const Loop& loop, int32_t asks,
              int64_t value) {
  if (loop.blocks.size() > kMaxBlocks || !IsPure(graph, loop, asks))
    return false;
  if (Carried(graph, loop).any()) return false;
  return Round(graph, loop, asks, 0).ReturnsToHead() == true &&
         Round(graph, loop, asks, value).ReturnsToHead() == false;
}

// The innermost loop around the node, which is the smallest; -1: there is none.
int32_t LoopAround(const Graph& graph, int32_t node) {
  const int32_t block = graph.BlockOf(node);
  for (size_t l = 0; l < graph.loops.size(); ++l) {
    const std::vector<int32_t>& blocks = graph.loops[l].blocks;
    if (std::binary_search(blocks.begin(), blocks.end(), block))
      return static_cast<int32_t>(l);
  }
  return -1;
}

}  // namespace

std::vector<Wait> FindWaits(const Graph& graph) {
  std::vector<Wait> waits;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!IsWait(graph.nodes[i])) continue;
    Wait wait{static_cast<int32_t>(i)};
    const int32_t l = LoopAround(graph, wait.node);
    const bool only = l >= 0 && OnlyAsks(graph, graph.loops[l], wait.node, 1);
    if (only) wait.loop = l;
    waits.push_back(wait);
  }
  return waits;
}

bool LoopAsksUntil(const Graph& graph, int32_t node, int64_t value) {
  const int32_t l = LoopAround(graph, node);
  return l >= 0 && OnlyAsks(graph, graph.loops[l], node, value);
}

}  // namespace tilesim::ptx
