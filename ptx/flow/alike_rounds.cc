#include "ptx/flow/alike_rounds.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "ptx/flow/rounds.h"

namespace tilesim::ptx {
namespace {

bool LoadsShared(const Node& n) {
  return n.spelling().starts_with("ld.shared.");
}
bool StoresShared(const Node& n) {
  return n.spelling().starts_with("st.shared.");
}

// All threads of the CTA wait for each other.
bool AllMeet(const Node& n) {
  const std::string_view s = n.spelling();
  return n.guard < 0 && n.instruction().operands.size() == 1 &&
         (s.starts_with("bar.sync") || s.starts_with("bar.cta.sync") ||
          s.starts_with("barrier.sync.aligned") ||
          s.starts_with("barrier.cta.sync.aligned"));
}

bool Silent(const Node& n) {
  static constexpr std::string_view kNone[] = {
      "call", "exit", "ret", "trap", "mbarrier.test_wait", "mbarrier.try_wait"};
  const bool none = std::find(std::begin(kNone), std::end(kNone),
                              n.op->opcode) != std::end(kNone);
  return !none &&
         (n.op->kind == OpKind::kValue || n.op->kind == OpKind::kBranch);
}

// The loop of all threads.
class Rounds {
 public:
  Rounds(const Graph& graph, int32_t node)
      : graph_(graph), tries_(graph.nodes[static_cast<size_t>(node)]) {
    const int32_t block = graph.BlockOf(node);
    for (const Loop& loop : graph.loops) {  // smallest first
      if (loop_.blocks.empty() && !Holds(loop, block)) continue;
      if (loop_.blocks.empty()) loop_.head = loop.head;
      if (loop.head != loop_.head) continue;
      std::vector<int32_t> all;
      std::set_union(loop.blocks.begin(), loop.blocks.end(),
                     loop_.blocks.begin(), loop_.blocks.end(),
                     std::back_inserter(all));
      loop_.blocks = std::move(all);
    }
  }

  bool AreAlike() {
    if (loop_.blocks.empty()) return false;
    for (const Node* n : Nodes()) {
      if (!MayStand(*n)) return false;
    }
    FollowLoads();
    return NothingGoesRound() && OnlyEndsByThem() && AllMeetInEach();
  }
  AlikeRounds Found() const {
    AlikeRounds out;
    out.meets = meets_;
    for (const Node* n : Nodes())
      out.nodes.push_back(static_cast<int32_t>(n - graph_.nodes.data()));
    out.one_number = AsksForOneNumber(out);
    return out;
  }

 private:
  static bool Holds(const Loop& loop, int32_t block) {
    return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
  }

  std::vector<const Node*> Nodes() const {
    std::vector<const Node*> out;
    for (int32_t b : loop_.blocks) {
      const Block& block = graph_.blocks[static_cast<size_t>(b)];
      for (int32_t i = block.first; i < block.last; ++i)
        out.push_back(&graph_.nodes[static_cast<size_t>(i)]);
    }
    return out;
  }

  bool MayStand(const Node& n) const {
    if (n.op == nullptr) return false;
    return &n == &tries_ || Silent(n) || AllMeet(n) || LoadsShared(n) ||
           StoresShared(n) ||
           (n.spelling().starts_with("bar.warp.sync") && n.guard < 0);
  }

  // What is made of what was loaded, and of the answer.
  void FollowLoads() {
    for (const Node* n : Nodes()) {
      if (LoadsShared(*n)) loaded_.insert(n->defines.begin(), n->defines.end());
    }
    answers_.insert(tries_.defines.begin(), tries_.defines.end());
    Follow(loaded_);
    Follow(answers_);
  }
  void Follow(std::set<int32_t>& regs) const {
    for (size_t before = 0; before != regs.size();) {
      before = regs.size();
      for (const Node* n : Nodes()) {
        if (Reads(*n, regs)) regs.insert(n->defines.begin(), n->defines.end());
      }
    }
  }

  // But the answer of who tries: in vain it is always the same.
  bool NothingGoesRound() const {
    const Carried carried(graph_, loop_);
    if (carried.defined().contains(tries_.guard)) return false;
    return std::all_of(carried.registers().begin(), carried.registers().end(),
                       [&](int32_t reg) {
                         return std::find(tries_.defines.begin(),
                                          tries_.defines.end(),
                                          reg) != tries_.defines.end();
                       });
  }

  bool OnlyEndsByThem() const {
    for (const Node* n : Nodes()) {
      const bool by_load = Reads(*n, loaded_), by_answer = Reads(*n, answers_);
      if (n->op->kind == OpKind::kBranch) {
        if ((by_load || by_answer) && !DoesNoMore(*n)) return false;
      } else if (StoresShared(*n)) {
        // The answer is stored, and decides nothing else.
        if (by_load || IsIn(n->instruction().operands[0], answers_) ||
            answers_.contains(n->guard))
          return false;
      } else if (!Silent(*n) && (by_load || by_answer)) {
        return false;
      }
    }
    return true;
  }

  // Whether an address is made of one of the registers.
  bool IsIn(const Operand& address, const std::set<int32_t>& regs) const {
    return std::any_of(regs.begin(), regs.end(), [&](int32_t reg) {
      return std::any_of(
          address.parts.begin(), address.parts.end(), [&](const Operand& part) {
            return part.name == graph_.registers[static_cast<size_t>(reg)];
          });
    });
  }

  // Behind the branch, a round.
  bool DoesNoMore(const Node& branch) const {
    const auto at = static_cast<int32_t>(&branch - graph_.nodes.data());
    std::vector<int32_t> todo =
        graph_.blocks[static_cast<size_t>(graph_.BlockOf(at))].next;
    std::set<int32_t> seen;
    while (!todo.empty()) {
      const int32_t b = todo.back();
      todo.pop_back();
      if (b == loop_.head || !Holds(loop_, b) || !seen.insert(b).second)
        continue;
      const Block& block = graph_.blocks[static_cast<size_t>(b)];
      for (int32_t i = block.first; i < block.last; ++i) {
        if (!Silent(graph_.nodes[static_cast<size_t>(i)])) return false;
      }
      todo.insert(todo.end(), block.next.begin(), block.next.end());
    }
    return true;
  }

  // Where a round ends one of those that all have met at lies behind.
  bool AllMeetInEach() {
    std::vector<int32_t> ends;
    for (int32_t b : loop_.blocks) {
      const Block& block = graph_.blocks[static_cast<size_t>(b)];
      const bool end =
          std::any_of(block.next.begin(), block.next.end(), [&](int32_t next) {
            return next == loop_.head || !Holds(loop_, next);
          });
      if (end || block.next.empty()) ends.push_back(b);
    }
    bool each = false;
    for (const Node* n : Nodes()) {
      if (!AllMeet(*n)) continue;
      meets_.push_back(static_cast<int32_t>(n - graph_.nodes.data()));
      const int32_t b = graph_.BlockOf(meets_.back());
      each |= std::all_of(ends.begin(), ends.end(),
                          [&](int32_t end) { return Dominates(b, end); });
    }
    return each;
  }
  bool Dominates(int32_t a, int32_t b) const {
    while (b >= 0 && b != a)
      b = graph_.blocks[static_cast<size_t>(b)].dominator;
    return b == a;
  }

  // What the answer is compared with.
  bool AsksForOneNumber(AlikeRounds& out) const {
    std::set<int32_t> answers, copies;  // as they are
    for (int32_t reg : tries_.defines) answers.insert(reg);
    for (const Node* n : Nodes()) {
      if (LoadsShared(*n)) answers.insert(n->defines.begin(), n->defines.end());
      const bool shared = LoadsShared(*n) || StoresShared(*n);
      if (shared && !IsAsWide(*n)) return false;
    }
    for (size_t before = 0; before != answers.size();) {
      before = answers.size();
      for (const Node* n : Nodes()) {
        if (!Copies(*n) || !Reads(*n, answers)) continue;
        answers.insert(n->defines.begin(), n->defines.end());
        copies.insert(n->defines.begin(), n->defines.end());
      }
    }
    bool compared = false;
    for (const Node* n : Nodes()) {
      if (!Reads(*n, answers) || Copies(*n) || StoresShared(*n)) continue;
      if (!IsEquality(*n)) return false;
      AlikeRounds with;
      if (!NumberIn(*n, answers, with)) return false;
      if (compared && (with.reg != out.reg || with.number != out.number))
        return false;
      out.reg = with.reg;
      out.number = with.number;
      compared = true;
    }
    return compared && !Carried(graph_, loop_).defined().contains(out.reg) &&
           !AreReadBehind(copies);
  }

  // What a round in vain has copied may be there when the loop is left.
  bool AreReadBehind(const std::set<int32_t>& copies) const {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const int32_t block = graph_.BlockOf(static_cast<int32_t>(i));
      if (!Holds(loop_, block) && Reads(graph_.nodes[i], copies)) return true;
    }
    return false;
  }

  // One number, of as many bits as the answer.
  bool IsAsWide(const Node& n) const {
    auto bits = [](std::string_view s) {
      return s.substr(s.find_last_of("bus") + 1);
    };
    return bits(n.spelling()) == bits(tries_.spelling()) &&
           n.spelling().find(".v") == std::string_view::npos;
  }
  static bool Copies(const Node& n) {
    return n.op->opcode == "mov" && n.guard < 0 && n.defines.size() == 1 &&
           n.instruction().operands.size() == 2 &&
           n.instruction().operands[1].kind != Operand::Kind::kVector;
  }
  static bool IsEquality(const Node& n) {
    const std::string_view s = n.spelling();
    const bool equal = s.starts_with("setp.ne.") || s.starts_with("setp.eq.");
    return equal && n.guard < 0 && n.instruction().operands.size() == 3 &&
           s.substr(s.rfind('.') + 1).find('f') == std::string_view::npos;
  }
  static bool NumberIn(const Node& n, const std::set<int32_t>& answers,
                       AlikeRounds& out) {
    std::vector<int32_t> regs = n.reads;
    regs.insert(regs.end(), n.data.begin(), n.data.end());
    std::erase_if(regs, [&](int32_t r) { return answers.contains(r); });
    if (regs.size() == 1) {
      out.reg = regs[0];
      return true;
    }
    const std::vector<Operand>& o = n.instruction().operands;
    if (!regs.empty() || o[2].kind != Operand::Kind::kNumber) return false;
    out.number = static_cast<int64_t>(o[2].number.value());
    return true;
  }

  const Graph& graph_;
  const Node& tries_;
  Loop loop_;
  std::set<int32_t> loaded_, answers_;
  std::vector<int32_t> meets_;
};

}  // namespace

std::optional<AlikeRounds> AlikeRoundsOf(const Graph& graph, int32_t node) {
  Rounds rounds(graph, node);
  if (!rounds.AreAlike()) return std::nullopt;
  return rounds.Found();
}

}  // namespace tilesim::ptx
