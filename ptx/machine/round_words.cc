// Words in which all CTAs of a grid count, and that they ask for until all
// have: barriers of the grid, one after the other (checkers/run/grid_rounds.h).
//
// What the word is when a CTA asks depends on who else has added by then. Of a
// CTA that has added `n` times, and of `N` in all, it is one of two kinds:
//
// * each adds 1: (n - 1) N + 1 up to n N - 1 while some have not, and n N up to
//   n N + N - 1 once all have;
// * each adds 1 but for one, which adds 2^31 - (N - 1): less than all of these
//   come to less than 2^31, all to 2^31, so that the highest bit is that of
//   n - 1 while some have not, and that of n then. What one gets back that adds
//   has the highest bit of n - 1.
//
// So a loop is asked what it does with each of these, and no other.
#include <algorithm>
#include <string_view>

#include "ptx/flow/rounds.h"
#include "ptx/machine/guide.h"
#include "ptx/machine/launch_numbers.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kHigh = uint64_t{1} << 31;
constexpr int64_t kWordBytes = 4;

bool MayAsk(const Node& n) {
  return n.op != nullptr && (n.instruction().opcode.starts_with("ld.") ||
                             n.instruction().opcode.starts_with("atom."));
}

uint64_t HighOf(uint64_t rounds) { return (rounds & 1) != 0 ? kHigh : 0; }

}  // namespace

const std::optional<AskingLoop>& PtxGuide::AskingLoopOf(int32_t node) const {
  auto [at, fresh] = asking_.try_emplace(node);
  if (fresh) at->second = AskingLoop::Of(program_.graph, program_.memory, node);
  return at->second;
}

bool PtxGuide::AsksForRound(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s != nullptr && AsksForRound(*s);
}

bool PtxGuide::AsksForRound(const Step& step) const {
  if (!IsWord(step) || step.word_bytes != kWordBytes ||
      step.results.size() != 1)
    return false;
  const Node& n = program_.graph.nodes[static_cast<size_t>(step.node)];
  const bool asks =
      n.instruction().opcode.starts_with("ld.") || LeavesWord(n, Fixed());
  return asks && AskingLoopOf(step.node).has_value();
}

// The nodes that ask in loops that ask alone and read the register there; -1 is
// among them if it is read elsewhere.
std::set<int32_t> PtxGuide::AskedWith(int32_t reg) const {
  const Graph& g = program_.graph;
  std::set<int32_t> out;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    if (!Reads(g.nodes[i], {reg})) continue;
    const auto reader = static_cast<int32_t>(i);
    int32_t by = -1;
    for (size_t k = 0; k < g.nodes.size(); ++k) {
      const auto asks = static_cast<int32_t>(k);
      if (asks == reader || !MayAsk(g.nodes[k])) continue;
      const std::optional<AskingLoop>& loop = AskingLoopOf(asks);
      if (loop && loop->Holds(reader)) by = asks;
    }
    out.insert(by);
  }
  return out;
}

// No run need have come to the loops as yet.
bool PtxGuide::OnlyAsked(const Node& node) const {
  return std::all_of(
      node.defines.begin(), node.defines.end(), [&](int32_t reg) {
        const std::set<int32_t> asked = AskedWith(reg);
        return asked.empty() || (!asked.contains(-1) &&
                                 OnlyDefinition(program_.graph, reg) == &node);
      });
}

// Now they have: all of them ask for such words.
bool PtxGuide::AskForRounds(const std::set<int32_t>& nodes) const {
  return std::all_of(nodes.begin(), nodes.end(), [&](int32_t node) {
    return std::any_of(program_.steps.begin(), program_.steps.end(),
                       [&](const Step& s) {
                         return s.kind == Step::Kind::kOp && s.node == node &&
                                rounds_.contains(s.words_of) &&
                                rounds_.at(s.words_of).asks.contains(node);
                       });
  });
}

bool PtxGuide::AddsToRound(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || !IsWord(*s) || s->word_bytes != kWordBytes ||
      s->data.size() != 1 || !s->lane_by_lane)
    return false;
  const Node& n = program_.graph.nodes[static_cast<size_t>(s->node)];
  const std::string_view spelling = n.instruction().opcode;
  const bool adds = spelling.find(".add.") != std::string_view::npos &&
                    (spelling.ends_with(".u32") || spelling.ends_with(".s32"));
  return adds && OnlyAsked(n);
}

void PtxGuide::CountsRounds(int32_t decl) const {
  if (program_.whole || program_.timed || rounds_.contains(decl)) return;
  Rounds& rounds = rounds_[decl];
  for (const Step& s : program_.steps) {
    if (s.kind != Step::Kind::kOp || s.words_of != decl) continue;
    if (AsksForRound(s)) rounds.asks.insert(s.node);
    if (s.data.empty()) continue;
    const Node& n = program_.graph.nodes[static_cast<size_t>(s.node)];
    for (int32_t reg : n.defines) {
      if (!rounds.asks.contains(s.node) && !AskedWith(reg).empty())
        rounds.olds.insert(reg);
    }
  }
}

bool PtxGuide::IsRound(const Step& step, uint64_t word) const {
  constexpr uint64_t kMarks = ~uint64_t{0xffffff};
  return (word & kMarks) == static_cast<uint64_t>(kRounds) &&
         rounds_.contains(step.words_of);
}

std::pair<uint64_t, uint64_t> PtxGuide::InRound(const Step& step,
                                                const Who& who, int64_t element,
                                                uint64_t word,
                                                uint64_t datum) const {
  Rounds& rounds = rounds_.at(step.words_of);
  RoundWord ignored;  // words may be anything yet
  RoundWord& seen = closed_ ? rounds.words[element] : ignored;
  const uint64_t own = word & kMostRounds, over = word >> 12 & kMostRounds;
  const auto ctas = static_cast<uint64_t>(bound_->ctas());
  const bool high = !rounds.olds.empty();
  if (!step.data.empty() && !rounds.asks.contains(step.node)) {
    const uint64_t added =
        seen.added.try_emplace(who.cta.linear, datum).first->second;
    const bool last = own + 1 >= static_cast<uint64_t>(kMostRounds);
    seen.fails |= added != datum || last;
    return {word + (last ? 0 : 1), high ? HighOf(own) : own * ctas};
  }
  if (own == 0) {  // all but this one may have added, or none
    seen.fails = true;
    return {word, 0};
  }
  seen.fails |= !EndsInTime(step.node, rounds, who, own);
  const uint64_t n = over >= own ? own : own - 1;
  return {word, high ? HighOf(n) : n * ctas + (over >= own ? 0 : 1)};
}

std::map<int32_t, SomeBits> PtxGuide::BitsOf(const AskingLoop& loop,
                                             const Who& who) const {
  std::map<int32_t, SomeBits> out;
  auto is_old = [&](int32_t reg) {
    return std::any_of(rounds_.begin(), rounds_.end(), [=](const auto& r) {
      return r.second.olds.contains(reg);
    });
  };
  for (size_t slot = 0; slot < program_.graph_registers.size(); ++slot) {
    const int32_t reg = program_.graph_registers[slot];
    const auto& inputs = loop.inputs();
    if (std::find(inputs.begin(), inputs.end(), reg) == inputs.end()) continue;
    const Value v = Get(who.strand, static_cast<int32_t>(slot));
    const bool one = who.strand.threads.threads() == 1;
    if (v.unknown() || (!v.uniform() && !one)) continue;
    const uint64_t bits =
        lanes_.At(v, static_cast<size_t>(who.strand.threads.first_lane()));
    out[reg] =
        is_old(reg) ? SomeBits{kHigh, bits & kHigh} : SomeBits::All(bits);
  }
  return out;
}

bool PtxGuide::EndsInTime(int32_t node, const Rounds& rounds, const Who& who,
                          uint64_t own) const {
  const std::optional<AskingLoop>& loop = AskingLoopOf(node);
  if (!loop) return false;
  const auto inputs = BitsOf(*loop, who);
  std::vector<uint64_t> key = {static_cast<uint64_t>(node), own};
  for (const auto& [reg, v] : inputs)
    key.insert(key.end(), {static_cast<uint64_t>(reg), v.known, v.bits});
  auto [at, fresh] = ends_in_time_.try_emplace(std::move(key), true);
  if (!fresh) return at->second;
  auto goes_on = [&](SomeBits answer, bool wanted) {
    return loop->GoesOn(inputs, answer) == wanted;
  };
  if (!rounds.olds.empty()) {
    at->second = goes_on({kHigh, HighOf(own - 1)}, true) &&
                 goes_on({kHigh, HighOf(own)}, false);
    return at->second;
  }
  const auto ctas = static_cast<uint64_t>(bound_->ctas());
  for (uint64_t n = (own - 1) * ctas + 1; n < (own + 1) * ctas; ++n)
    at->second = at->second && goes_on(SomeBits::All(n), n < own * ctas);
  return at->second;
}

bool PtxGuide::RoundsHold(int32_t decl) const {
  const auto found = rounds_.find(decl);
  if (found == rounds_.end() || found->second.words.empty()) return false;
  const auto ctas = static_cast<uint64_t>(bound_->ctas());
  const bool high = !found->second.olds.empty();
  for (int32_t reg : found->second.olds) {
    if (!AskForRounds(AskedWith(reg))) return false;
  }
  for (const auto& [element, word] : found->second.words) {
    uint64_t others = 0;  // that do not add 1
    for (const auto& [cta, added] : word.added) {
      if (high && added == kHigh - (ctas - 1) && ++others == 1) continue;
      if (added != 1) return false;
    }
    if (word.fails || word.added.size() != ctas || (high && others != 1))
      return false;
  }
  return true;
}

}  // namespace tilesim::ptx
