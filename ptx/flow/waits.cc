#include "ptx/flow/waits.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ptx/flow/rounds.h"
#include "ptx/flow/small_values.h"

namespace tilesim::ptx {
using small_values::Compare;
using small_values::IsSmall;
using small_values::Known;
using small_values::Modifier;
using small_values::Read;
using small_values::Register;
using small_values::Value;
using small_values::ValueOf;

namespace {

bool IsWait(const Node& node) {
  return node.op != nullptr && (node.op->opcode == "mbarrier.try_wait" ||
                                node.op->opcode == "mbarrier.test_wait");
}

// The ways round a loop, with what is known of its registers, where the node
// that it asks by returns `answer`.
class Round {
 public:
  Round(const Graph& graph, const Loop& loop, int32_t asks, int64_t answer,
        const Known& fixed)
      : graph_(graph),
        loop_(loop),
        asks_(graph.nodes[asks]),
        answer_(answer),
        fixed_(fixed) {}

  // Every way ends at the head again, also where a branch depends on what is
  // not known here.
  bool ReturnsToHead() { return From(loop_.head, fixed_, true); }
  // There is one way, and it leaves.
  bool Leaves() { return From(loop_.head, fixed_, false); }

  // Blocks behind the loop at which ways out have ended.
  const std::set<int32_t>& left_to() const { return left_to_; }
  // Registers that the ways have surely defined.
  const std::set<int32_t>& defined() const { return defined_; }

 private:
  // Whether all ways from that block end as wanted: at the head, or outside.
  bool From(int32_t block, const Known& known, bool at_head) {
    // Ways that meet are walked again: few branches, or it is no wait.
    if (++steps_ > kMaxSteps) return false;
    known_ = known;
    std::vector<int32_t> next = Execute(graph_.blocks[block], block);
    if (next.empty() || (next.size() > 1 && !at_head)) return false;
    const Known here = known_;
    return std::all_of(next.begin(), next.end(), [&](int32_t b) {
      if (b == loop_.head) return at_head;
      if (std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), b))
        return From(b, here, at_head);
      left_to_.insert(b);
      return !at_head;
    });
  }

  // The blocks that may come next; none: the kernel may end.
  std::vector<int32_t> Execute(const Block& block, int32_t number) {
    for (int32_t i = block.first; i < block.last; ++i) {
      const Node& node = graph_.nodes[i];
      bool branches = node.op->kind == OpKind::kBranch;
      Value guard = Guard(node);
      if (!guard && branches)
        return node.targets.empty() ? node.targets : block.next;
      if (!guard) {
        for (int32_t reg : node.defines) known_.erase(reg);
      } else if (*guard != 0 && branches) {
        return node.targets;
      } else if (*guard != 0) {
        Compute(node);
      }
    }
    return {number + 1};
  }

  Value Guard(const Node& node) const {
    if (node.guard < 0) return 1;
    Value value = Register(node.guard, known_);
    if (value) value = (*value != 0) != node.instruction().guard.negated;
    return value;
  }

  void Compute(const Node& node) {
    for (int32_t reg : node.defines) known_.erase(reg);
    defined_.insert(node.defines.begin(), node.defines.end());
    if (node.defines.size() != 1) return;
    Value value =
        &node == &asks_ ? Value(answer_) : ValueOf(graph_, node, known_);
    if (value) known_[node.defines[0]] = *value;
  }

  static constexpr int kMaxSteps = 512;

  const Graph& graph_;
  const Loop& loop_;
  const Node& asks_;
  const int64_t answer_;
  const Known& fixed_;
  int steps_ = 0;
  Known known_;
  std::set<int32_t> left_to_, defined_;
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

constexpr size_t kMaxBlocks = 64;  // of a loop that only waits

// What ends a loop: it goes on with the numbers of [from, to), and ends with
// `value`.
struct Until {
  int64_t value = 1;
  int64_t from = 0, to = 1;
  const Known& fixed;  // registers that always hold these
};

bool OnlyAsks(const Graph& graph, const Loop& loop, int32_t asks,
              const Until& until) {
  if (loop.blocks.size() > kMaxBlocks || !IsPure(graph, loop, asks))
    return false;
  Round leaves(graph, loop, asks, until.value, until.fixed);
  if (!leaves.Leaves()) return false;
  for (int64_t n = until.from; n < until.to; ++n) {
    if (!Round(graph, loop, asks, n, until.fixed).ReturnsToHead()) return false;
  }
  // It asks for the same in every round, and nobody reads how many there were.
  const std::set<int32_t> rounds =
      DependOnRounds(graph, loop, leaves.defined());
  return !Reads(graph.nodes[asks], rounds) &&
         !Liveness(graph, rounds).AnyAt(*leaves.left_to().begin());
}

// Whether a loop around the node does nothing but ask by it. Of the loops from
// one head, each has one way back: a wait may have several, and stand at the
// head of a loop that does more.
bool ALoopAsks(const Graph& graph, int32_t node, const Until& until) {
  const int32_t block = graph.BlockOf(node);
  Loop around;
  for (const Loop& loop : graph.loops) {  // smallest first
    if (!std::binary_search(loop.blocks.begin(), loop.blocks.end(), block))
      continue;
    if (around.blocks.empty()) around.head = loop.head;
    if (loop.head != around.head) continue;
    std::vector<int32_t> all;
    std::set_union(loop.blocks.begin(), loop.blocks.end(),
                   around.blocks.begin(), around.blocks.end(),
                   std::back_inserter(all));
    around.blocks = std::move(all);
    if (OnlyAsks(graph, around, node, until)) return true;
  }
  return false;
}

// Which waits the answer of a test lets be passed over, if it decides nothing
// else.
class Answer {
 public:
  Answer(const Graph& graph, const std::map<int32_t, bool>& loops)
      : graph_(graph), loops_(loops) {}

  // Empty: it decides more, or nothing.
  std::set<int32_t> WaitsPassedOver(int32_t test) {
    const Node& node = graph_.nodes[test];
    if (node.defines.size() != 1 || !Holds(node.defines[0], {0, 1})) return {};
    for (size_t i = 0; i < todo_.size(); ++i) {
      if (!Follow(todo_[i])) return {};
    }
    std::set<int32_t> waits;
    for (int32_t branch : branches_) {
      const int32_t wait = PassedOverAt(branch);
      if (wait < 0) return {};
      waits.insert(wait);
    }
    return waits;
  }
  // That have the answer at some time.
  const Known& registers() const { return no_; }

 private:
  using Pair = std::pair<int64_t, int64_t>;  // where it is no, where it is yes

  // A register that has the answer. What other ways put in it they put in
  // whatever this answer is.
  bool Holds(int32_t reg, Pair values) {
    auto [at, fresh] = no_.try_emplace(reg, values.first);
    if (fresh) {
      yes_[reg] = values.second;
      todo_.push_back(reg);
    }
    return at->second == values.first && yes_[reg] == values.second;
  }

  bool Follow(int32_t reg) {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (!Reads(node, {reg})) continue;
      if (node.op == nullptr) return false;
      if (node.guard == reg) {
        if (node.op->opcode != "bra" || node.targets.size() != 1) return false;
        branches_.push_back(static_cast<int32_t>(i));
        continue;
      }
      // Another register may have been written since.
      if (node.reads.size() == 2 && Restricts(node, reg)) continue;
      if (node.reads.size() != 1 || !OfSmallNumbers(node)) return false;
      const Value no = ValueOf(graph_, node, no_),
                  yes = ValueOf(graph_, node, yes_);
      if (node.op->kind != OpKind::kValue || node.defines.size() != 1 || !no ||
          !yes || !Holds(node.defines[0], {*no, *yes}))
        return false;
    }
    return true;
  }

  static bool OfSmallNumbers(const Node& node) {
    static constexpr std::string_view kOps[] = {"mov", "not", "selp", "setp",
                                                "cvt", "and", "or",   "xor"};
    const bool known = std::find(std::begin(kOps), std::end(kOps),
                                 node.op->opcode) != std::end(kOps);
    const auto& operands = node.instruction().operands;
    return known &&
           std::all_of(operands.begin(), operands.end(), [](const Operand& o) {
             return o.kind != Operand::Kind::kNumber ||
                    IsSmall(o.number.value());
           });
  }

  // Whether a no decides the result by itself, and a yes leaves it to another
  // predicate: at most as many waits are passed over.
  //
  //   and.pred p, answer, q        setp.ne.and.s32 p, answer, 0, q
  bool Restricts(const Node& node, int32_t reg) {
    const std::string_view opcode = node.instruction().opcode;
    const bool compares = node.op->opcode == "setp";
    const std::string_view how = Modifier(opcode, compares ? 2 : 0);
    const bool both = how == "and", either = how == "or";
    if ((!both && !either) || (!compares && Modifier(opcode, 1) != "pred") ||
        node.guard >= 0 || node.defines.size() != 1 || !OfSmallNumbers(node))
      return false;
    const Value no = OfAnswer(node, compares, reg, no_),
                yes = OfAnswer(node, compares, reg, yes_);
    if (!no || !yes || *no == *yes || *no != (both ? 0 : 1)) return false;
    return Holds(node.defines[0], {*no, *yes});
  }

  // Of the comparison, or of the operand that is the answer: the first, or, of
  // two predicates, the second.
  Value OfAnswer(const Node& node, bool compares, int32_t reg,
                 const Known& known) const {
    size_t next = 0;
    const Known only = {{reg, known.at(reg)}};
    const Value a = Read(graph_, node, 1, &next, only),
                b = Read(graph_, node, 2, &next, only);
    if (!compares) return a && b ? std::nullopt : a ? a : b;
    return a && b && node.instruction().operands.size() == 4
               ? Compare(node.instruction().opcode, *a, *b)
               : std::nullopt;
  }

  // The wait of a branch that comes to it where the answer is no, and where it
  // is yes to what is behind it; -1: it is none.
  int32_t PassedOverAt(int32_t branch) const {
    const Node& node = graph_.nodes[branch];
    const bool negated = node.instruction().guard.negated;
    const bool no = (no_.at(node.guard) != 0) != negated;
    const bool yes = (yes_.at(node.guard) != 0) != negated;
    if (no == yes) return -1;
    const int32_t target = node.targets[0], behind = graph_.BlockOf(branch) + 1;
    return WaitBetween(no ? target : behind, yes ? target : behind);
  }

  // The one wait that all ways from a block to the other have, if they have
  // nothing else.
  int32_t WaitBetween(int32_t from, int32_t to) const {
    std::vector<int32_t> todo = {from};
    std::set<int32_t> seen, defined;
    int32_t wait = -1;
    while (!todo.empty()) {
      const int32_t at = todo.back();
      todo.pop_back();
      if (at == to || !seen.insert(at).second) continue;
      if (at >= std::ssize(graph_.blocks) || seen.size() > kMaxBlocks)
        return -1;
      const Block& block = graph_.blocks[at];
      for (int32_t i = block.first; i < block.last; ++i) {
        if (!MayStandBeside(graph_.nodes[i], i, &wait)) return -1;
        const auto& defines = graph_.nodes[i].defines;
        defined.insert(defines.begin(), defines.end());
      }
      if (block.next.empty()) return -1;
      todo.insert(todo.end(), block.next.begin(), block.next.end());
    }
    return Liveness(graph_, defined).AnyAt(to) ? -1 : wait;
  }

  bool MayStandBeside(const Node& node, int32_t number, int32_t* wait) const {
    if (node.op == nullptr || node.op->opcode == "call") return false;
    if (node.op->kind == OpKind::kBranch) return !node.targets.empty();
    if (!IsWait(node)) return node.op->kind == OpKind::kValue;
    const bool first = *wait < 0;
    if (first) *wait = number;
    return loops_.at(number) && *wait == number;
  }

  const Graph& graph_;
  const std::map<int32_t, bool>& loops_;  // Wait::loops, by node
  Known no_, yes_;
  std::vector<int32_t> todo_, branches_;
};

// Tests that let one wait be passed over have one number, and so have waits
// that one test lets be passed over.
class Numbering {
 public:
  Numbering(const Graph& graph, std::vector<Wait>& waits)
      : graph_(graph), waits_(waits) {}

  void Number() {
    std::map<int32_t, bool> loops;
    for (const Wait& w : waits_) loops[w.node] = w.loops;
    for (const Wait& w : waits_) {
      if (w.loops) continue;
      Answer answer(graph_, loops);
      std::set<int32_t> all = answer.WaitsPassedOver(w.node);
      if (all.empty()) continue;
      for (const auto& [reg, no] : answer.registers())
        registers_[w.node].insert(reg);
      all.insert(w.node);
      Join(all, w.node);
    }
    for (Wait& w : waits_) {
      auto n = number_.find(w.node);
      if (n != number_.end() && OneAnswerAtATime(n->second)) w.peek = n->second;
    }
  }

 private:
  void Join(const std::set<int32_t>& nodes, int32_t as) {
    std::set<int32_t> before;
    for (int32_t node : nodes) {
      if (auto n = number_.find(node); n != number_.end())
        before.insert(n->second);
    }
    for (auto& [node, n] : number_) {
      if (before.contains(n)) n = as;
    }
    for (int32_t node : nodes) number_[node] = as;
  }

  // Where a test is executed, nobody will read the answer of one before: so
  // what a branch reads is that of the last.
  bool OneAnswerAtATime(int32_t number) const {
    std::set<int32_t> all;
    for (const auto& [test, registers] : registers_) {
      if (number_.at(test) == number)
        all.insert(registers.begin(), registers.end());
    }
    return std::all_of(registers_.begin(), registers_.end(),
                       [&](const auto& item) {
                         if (number_.at(item.first) != number) return true;
                         std::set<int32_t> others = all;
                         others.erase(graph_.nodes[item.first].defines[0]);
                         return !Liveness(graph_, others).AnyBehind(item.first);
                       });
  }

  const Graph& graph_;
  std::vector<Wait>& waits_;
  std::map<int32_t, int32_t> number_;               // of nodes
  std::map<int32_t, std::set<int32_t>> registers_;  // by test
};

}  // namespace

std::vector<Wait> FindWaits(const Graph& graph) {
  std::vector<Wait> waits;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (IsWait(graph.nodes[i]))
      waits.push_back({node, ALoopAsks(graph, node, {1, 0, 1, {}}), -1});
  }
  Numbering(graph, waits).Number();
  return waits;
}

bool LoopAsksUntil(const Graph& graph, int32_t node, int64_t value, bool grows,
                   const std::map<int32_t, int64_t>& fixed) {
  return ALoopAsks(graph, node, {value, 0, grows ? value : 1, fixed});
}

bool LoopAsksWhile(const Graph& graph, int32_t node, int64_t goes_on,
                   int64_t ends, const std::map<int32_t, int64_t>& fixed) {
  return ALoopAsks(graph, node, {ends, goes_on, goes_on + 1, fixed});
}

}  // namespace tilesim::ptx
