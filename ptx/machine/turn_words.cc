// Words that CTAs wait for until they are a number: semaphores of which each
// waits for its turn (checkers/run/turns.h).
#include <algorithm>
#include <string_view>

#include "ptx/machine/guide.h"
#include "ptx/machine/launch_numbers.h"

namespace tilesim::ptx {

const std::optional<TurnAsk>& PtxGuide::TurnAskOf(
    int32_t node, std::optional<int64_t> only) const {
  auto [at, fresh] = turn_asks_.try_emplace({node, only});
  if (!fresh || node < 0) return at->second;
  const Graph& graph = program_.graph;
  const auto& fixed = Fixed();
  at->second = only ? AsksForOnly(graph, node, *only, fixed)
                    : AsksForTurn(graph, node, fixed);
  return at->second;
}

const std::map<int32_t, int64_t>& PtxGuide::Fixed() const {
  if (!fixed_) fixed_ = NumbersAtLaunch(program_.graph, program_.memory);
  return *fixed_;
}

std::optional<machine::Counting::TurnAsks> PtxGuide::AsksInTurn(
    const machine::CompiledOp& op, std::optional<int64_t> only) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->node < 0 || s->results.size() != 1)
    return std::nullopt;
  const std::optional<TurnAsk>& ask = TurnAskOf(s->node, only);
  if (!ask) return std::nullopt;
  TurnAsks out{!ask->meets.empty(), {}, {}};
  // One number for all is a flag, or no turn that anybody takes.
  if (!only && !out.rounds && ask->reg < 0) return std::nullopt;
  for (const Step& step : program_.steps) {
    if (step.kind != Step::Kind::kOp) continue;
    auto in = [&](const std::vector<int32_t>& nodes) {
      return std::find(nodes.begin(), nodes.end(), step.node) != nodes.end();
    };
    if (in(ask->meets)) out.meets.push_back(step.op);
    if (in(ask->loop)) out.loop.push_back(step.op);
  }
  return out;
}

bool PtxGuide::IsOneElement(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  return s != nullptr && IsWord(*s) && s->results.size() <= 1 &&
         (s->lane_by_lane || s->data.size() <= 1);
}

std::optional<int64_t> PtxGuide::Puts(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->node < 0 || s->data.size() != 1) return std::nullopt;
  const bool wanted =
      std::any_of(s->results.begin(), s->results.end(),
                  [](const Target& result) { return result.reg >= 0; });
  const std::string_view spelling =
      program_.graph.nodes[static_cast<size_t>(s->node)].instruction().opcode;
  const bool puts = spelling.starts_with("st.") ||
                    spelling.find(".exch.") != std::string_view::npos;
  // What it makes of the word is known where what was there is.
  const bool adds = spelling.find(".add.") != std::string_view::npos &&
                    (spelling.ends_with(".u32") || spelling.ends_with(".s32"));
  if (wanted || (!puts && !adds)) return std::nullopt;
  return adds ? kSeveral : FixedNumber(s->data[0]).value_or(kSeveral);
}

// What threads that ask in a loop wait for, if it is one number.
std::optional<uint64_t> PtxGuide::AwaitedTurn(const Step& step, const Who& who,
                                              int bits) const {
  const std::optional<TurnAsk>& ask =
      TurnAskOf(step.node, in_turn_.at(step.words_of));
  if (step.results.size() != 1 || !ask || !ask->in_loop) return std::nullopt;
  if (ask->reg < 0) return ZeroExtend(static_cast<uint64_t>(ask->number), bits);
  for (size_t slot = 0; slot < program_.graph_registers.size(); ++slot) {
    if (program_.graph_registers[slot] != ask->reg) continue;
    const Value v = Get(who.strand, static_cast<int32_t>(slot));
    if (v.unknown() || !v.uniform()) return std::nullopt;
    return ZeroExtend(v.base, bits);
  }
  return std::nullopt;
}

bool PtxGuide::IsInVain(uint64_t word) {
  constexpr uint64_t kMost = 16;
  return word - static_cast<uint64_t>(kInVain) < kMost;
}

std::optional<std::pair<uint64_t, uint64_t>> PtxGuide::AskInVain(
    uint64_t word, std::optional<uint64_t> turn) {
  if (!IsInVain(word) || !turn || *turn == 0) return std::nullopt;
  if (word == static_cast<uint64_t>(kInVain)) return std::pair(*turn, *turn);
  return std::pair(uint64_t{0}, word - 1);
}

void PtxGuide::NoteTurn(const Step& step, const TurnBy& by, int64_t element,
                        int64_t turn) const {
  if (!closed_) return;  // words may be anything yet
  if (IsInVain(static_cast<uint64_t>(turn))) turn = kSeveral;
  // Of two CTAs of a cluster one would find what the other has been told.
  auto [who, alone] =
      turn_ctas_.try_emplace({step.words_of, by.cluster, element}, by.cta);
  if (!alone && who->second != by.cta) who->second = -1;
  auto [at, fresh] = turns_.try_emplace({step.op, by.cluster, element}, turn);
  if (!fresh && at->second != turn) at->second = kSeveral;
}

std::optional<int64_t> PtxGuide::TurnOf(const machine::CompiledOp& op,
                                        int64_t cluster,
                                        int64_t element) const {
  auto found = turns_.find({op.number, cluster, element});
  if (found == turns_.end()) return std::nullopt;
  const Step* s = StepOf(op);
  auto who = turn_ctas_.find({s->words_of, cluster, element});
  if (who == turn_ctas_.end() || who->second < 0) return kSeveral;
  return found->second;
}

}  // namespace tilesim::ptx
