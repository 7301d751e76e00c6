#include "ptx/flow/turns.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include "ptx/flow/alike_rounds.h"
#include "ptx/flow/rounds.h"
#include "ptx/flow/waits.h"

namespace tilesim::ptx {
namespace {

bool Has(const std::vector<int32_t>& regs, const std::set<int32_t>& in) {
  return std::any_of(regs.begin(), regs.end(),
                     [&](int32_t reg) { return in.contains(reg); });
}

// Equality is all that it asks for.
bool IsEquality(const Node& n) {
  const std::string_view s = n.spelling();
  const bool equal = s.starts_with("setp.ne.") || s.starts_with("setp.eq.");
  return equal && n.guard < 0 && n.instruction().operands.size() == 3 &&
         s.substr(s.rfind('.') + 1).find('f') == std::string_view::npos;
}

bool IsLoad(const Node& n) {
  return n.op != nullptr && n.spelling().starts_with("ld.") &&
         n.spelling().find(".v") == std::string_view::npos;
}

class Asking {
 public:
  Asking(const Graph& graph, int32_t load,
         const std::map<int32_t, int64_t>& fixed)
      : graph_(graph),
        load_(load),
        by_atomic_(LeavesWord(graph.nodes[static_cast<size_t>(load)], fixed)) {}

  std::optional<TurnAsk> Find() {
    const Node& n = graph_.nodes[static_cast<size_t>(load_)];
    if (n.defines.size() != 1 || (!IsLoad(n) && !by_atomic_))
      return std::nullopt;
    answers_.insert(n.defines[0]);
    if (!Follow() || compares_.empty() || !OneNumber()) return std::nullopt;
    for (const Loop& loop : graph_.loops) {  // smallest first
      const Loop all = WithHead(loop.head);
      if (!AllIn(all)) continue;
      if (!OnlyAsks(all)) return std::nullopt;
      out_.in_loop = Holds(all, graph_.BlockOf(load_));
      if (by_atomic_ && !out_.in_loop) return std::nullopt;
      return out_;
    }
    return std::nullopt;
  }

 private:
  bool Asks(const Node& n) const {
    const bool here = &n == &graph_.nodes[static_cast<size_t>(load_)];
    return (here && by_atomic_) || (IsLoad(n) && Has(n.defines, answers_));
  }

  // Nodes to which control may come from the load. Compilers put other numbers
  // into its register before.
  std::vector<bool> Behind() const {
    std::vector<bool> out(graph_.nodes.size());
    std::vector<int32_t> blocks;
    auto pass = [&](int32_t first, const Block& block) {
      for (int32_t i = first; i < block.last; ++i)
        out[static_cast<size_t>(i)] = true;
      blocks.insert(blocks.end(), block.next.begin(), block.next.end());
    };
    std::set<int32_t> seen;
    const int32_t own = graph_.BlockOf(load_);
    pass(load_ + 1, graph_.blocks[static_cast<size_t>(own)]);
    while (!blocks.empty()) {
      const int32_t at = blocks.back();
      blocks.pop_back();
      if (!seen.insert(at).second) continue;
      const Block& block = graph_.blocks[static_cast<size_t>(at)];
      pass(block.first, block);
    }
    return out;
  }

  // Where the answer goes: copies of it, and comparisons. False: elsewhere.
  bool Follow() {
    const std::vector<bool> behind = Behind();
    for (size_t before = 0; before != answers_.size();) {
      before = answers_.size();
      compares_.clear();
      for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        const Node& n = graph_.nodes[i];
        if (!behind[i] || !Reads(n, answers_)) continue;
        if (answers_.contains(n.guard) || n.op == nullptr) return false;
        if (IsEquality(n)) {
          compares_.push_back(static_cast<int32_t>(i));
        } else if (n.op->opcode == "mov" && n.defines.size() == 1 &&
                   n.instruction().operands.size() == 2) {
          answers_.insert(n.defines[0]);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  // All compare it with one number, which no loop changes.
  bool OneNumber() {
    bool first = true;
    for (int32_t c : compares_) {
      const Node& n = graph_.nodes[static_cast<size_t>(c)];
      TurnAsk with;
      std::vector<int32_t> regs = n.reads;
      regs.insert(regs.end(), n.data.begin(), n.data.end());
      std::erase_if(regs, [&](int32_t r) { return answers_.contains(r); });
      if (regs.size() == 1) {
        with.reg = regs[0];
      } else {
        const std::vector<Operand>& o = n.instruction().operands;
        if (!regs.empty() || o[2].kind != Operand::Kind::kNumber) return false;
        with.number = o[2].number.value();
      }
      if (!first && (with.reg != out_.reg || with.number != out_.number))
        return false;
      out_ = with;
      first = false;
    }
    return true;
  }

  // Of the loops from one head, each has one way back.
  Loop WithHead(int32_t head) const {
    std::set<int32_t> blocks;
    for (const Loop& loop : graph_.loops) {
      if (loop.head == head)
        blocks.insert(loop.blocks.begin(), loop.blocks.end());
    }
    return {head, {blocks.begin(), blocks.end()}};
  }
  static bool Holds(const Loop& loop, int32_t block) {
    return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block);
  }
  bool AllIn(const Loop& loop) const {
    return std::all_of(compares_.begin(), compares_.end(), [&](int32_t c) {
      return Holds(loop, graph_.BlockOf(c));
    });
  }

  // All threads of the CTA meet, or all lanes of a warp.
  static bool Meets(const Node& n) {
    const std::string_view s = n.spelling();
    const size_t operands = n.instruction().operands.size();
    if (n.guard >= 0) return false;
    if (s.starts_with("bar.warp.sync")) return true;
    if (s.starts_with("bar.red.") || s.starts_with("barrier.cta.red."))
      return operands == 3;
    return (s.starts_with("bar.sync") || s.starts_with("bar.cta.sync") ||
            s.starts_with("barrier.sync") ||
            s.starts_with("barrier.cta.sync")) &&
           operands == 1;
  }

  bool MayStand(const Node& n) const {
    if (n.op == nullptr) return false;
    static constexpr std::string_view kNone[] = {"call",
                                                 "exit",
                                                 "ret",
                                                 "trap",
                                                 "mbarrier.test_wait",
                                                 "mbarrier.try_wait"};
    if (std::find(std::begin(kNone), std::end(kNone), n.op->opcode) !=
        std::end(kNone))
      return false;
    if (n.op->kind == OpKind::kValue || n.op->kind == OpKind::kBranch)
      return true;
    return Meets(n) || n.op->opcode == "nanosleep" || Asks(n);
  }

  bool OnlyAsks(const Loop& loop) const {
    const Carried carried(graph_, loop);
    // What is compared, and where it is asked for, is the same in all rounds.
    if (out_.reg >= 0 && carried.defined().contains(out_.reg)) return false;
    std::vector<int32_t> meets, exits;
    for (int32_t b : loop.blocks) {
      const Block& block = graph_.blocks[static_cast<size_t>(b)];
      for (int32_t i = block.first; i < block.last; ++i) {
        const Node& n = graph_.nodes[static_cast<size_t>(i)];
        if (!MayStand(n)) return false;
        if (Meets(n)) meets.push_back(b);
        if (Asks(n) && Has(n.reads, carried.defined())) return false;
      }
      for (int32_t next : block.next) {
        if (Holds(loop, next)) continue;
        exits.push_back(b);
        if (IsReadBehind(carried, next)) return false;
      }
    }
    return NothingGoesRound(carried) && !exits.empty() && AllMeet(meets, exits);
  }

  // But the answer.
  bool NothingGoesRound(const Carried& carried) const {
    return std::all_of(carried.registers().begin(), carried.registers().end(),
                       [&](int32_t reg) { return answers_.contains(reg); });
  }
  bool IsReadBehind(const Carried& carried, int32_t block) const {
    return Liveness(graph_, carried.defined()).AnyAt(block);
  }

  // Whoever leaves has met all barriers of the round.
  bool AllMeet(const std::vector<int32_t>& meets,
               const std::vector<int32_t>& exits) const {
    return std::all_of(meets.begin(), meets.end(), [&](int32_t at) {
      return std::all_of(exits.begin(), exits.end(),
                         [&](int32_t exit) { return Dominates(at, exit); });
    });
  }
  bool Dominates(int32_t a, int32_t b) const {
    while (b >= 0 && b != a)
      b = graph_.blocks[static_cast<size_t>(b)].dominator;
    return b == a;
  }

  const Graph& graph_;
  const int32_t load_;
  const bool by_atomic_;
  std::set<int32_t> answers_;
  std::vector<int32_t> compares_;
  TurnAsk out_;
};

// Two numbers, or one register.
bool AreSame(const Operand& a, const Operand& b) {
  if (a.kind != b.kind || a.has_offset || b.has_offset) return false;
  return a.kind == Operand::Kind::kNumber
             ? a.number.value() == b.number.value()
             : a.kind == Operand::Kind::kName && a.name == b.name;
}

TurnAsk InRounds(const AlikeRounds& rounds) {
  TurnAsk out;
  out.in_loop = true;
  out.loop = rounds.nodes;
  out.meets = rounds.meets;
  return out;
}

bool MayAsk(const Node& n, const std::map<int32_t, int64_t>& fixed) {
  return n.defines.size() == 1 && (IsLoad(n) || LeavesWord(n, fixed));
}

}  // namespace

bool LeavesWord(const Node& node, const std::map<int32_t, int64_t>& fixed) {
  if (node.op == nullptr || !node.spelling().starts_with("atom.")) return false;
  const std::string_view s = node.spelling();
  const std::string_view type = s.substr(s.rfind('.') + 1);
  const std::vector<Operand>& o = node.instruction().operands;
  if (type.find('f') != std::string_view::npos || type == "b128" ||
      o.size() < 3)
    return false;
  const bool compares = s.find(".cas.") != std::string_view::npos;
  if (compares) return o.size() == 4 && AreSame(o[2], o[3]);
  const bool adds = s.find(".add.") != std::string_view::npos ||
                    s.find(".or.") != std::string_view::npos ||
                    s.find(".xor.") != std::string_view::npos;
  if (!adds || o.size() != 3) return false;
  if (o[2].kind == Operand::Kind::kNumber) return o[2].number.value() == 0;
  // The address is in `reads`.
  const auto number =
      node.data.size() == 1 ? fixed.find(node.data[0]) : fixed.end();
  return number != fixed.end() && number->second == 0;
}

std::optional<TurnAsk> AsksForTurn(const Graph& graph, int32_t load,
                                   const std::map<int32_t, int64_t>& fixed) {
  if (auto alone = Asking(graph, load, fixed).Find()) return alone;
  if (!MayAsk(graph.nodes[static_cast<size_t>(load)], fixed))
    return std::nullopt;
  const auto rounds = AlikeRoundsOf(graph, load);
  if (!rounds || !rounds->one_number) return std::nullopt;
  TurnAsk out = InRounds(*rounds);
  out.reg = rounds->reg;
  out.number = rounds->number;
  return out;
}

std::optional<TurnAsk> AsksForOnly(const Graph& graph, int32_t load,
                                   int64_t only,
                                   const std::map<int32_t, int64_t>& fixed) {
  if (!MayAsk(graph.nodes[static_cast<size_t>(load)], fixed))
    return std::nullopt;
  TurnAsk out;
  if (LoopAsksUntil(graph, load, only, /*grows=*/false, fixed)) {
    out.in_loop = true;
  } else if (const auto rounds = AlikeRoundsOf(graph, load)) {
    out = InRounds(*rounds);
  } else {
    return std::nullopt;
  }
  out.number = only;
  return out;
}

}  // namespace tilesim::ptx
