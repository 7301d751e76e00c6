// Words that CTAs wait for until they are a number: semaphores of which each
// waits for its turn (checkers/run/turns.h).
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

const std::optional<TurnAsk>& PtxGuide::TurnAskOf(int32_t node) const {
  auto [at, fresh] = turn_asks_.try_emplace(node);
  if (fresh && node >= 0) at->second = AsksForTurn(program_.graph, node);
  return at->second;
}

bool PtxGuide::AsksInTurn(const machine::CompiledOp& op) const {
  const Step* s = StepOf(op);
  if (s == nullptr || s->results.size() != 1 || s->lane_by_lane) return false;
  // One number for all is a flag, or no turn that anybody takes.
  const std::optional<TurnAsk>& ask = TurnAskOf(s->node);
  return ask && ask->reg >= 0;
}

// What threads that ask in a loop wait for, if it is one number.
std::optional<uint64_t> PtxGuide::AwaitedTurn(const Step& step, const Who& who,
                                              int bits) const {
  const std::optional<TurnAsk>& ask = TurnAskOf(step.node);
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

void PtxGuide::NoteTurn(int32_t op, int64_t cta, int64_t element,
                        int64_t turn) const {
  if (!closed_) return;  // words may be anything yet
  auto [at, fresh] = turns_.try_emplace({op, cta, element}, turn);
  if (!fresh && at->second != turn) at->second = kSeveral;
}

std::optional<int64_t> PtxGuide::TurnOf(const machine::CompiledOp& op,
                                        int64_t cta, int64_t element) const {
  auto found = turns_.find({op.number, cta, element});
  if (found == turns_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tilesim::ptx
