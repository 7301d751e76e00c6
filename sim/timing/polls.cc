#include "sim/timing/polls.h"

#include <algorithm>

namespace tilesim::timing {
namespace {

using machine::Instr;

bool OfALane(const machine::Code& code, const Instr& narrow) {
  for (int32_t s = narrow.a; s < narrow.a + narrow.count; ++s) {
    const ir::Scope::Kind kind = code.scopes[s].kind;
    if (kind == ir::Scope::Kind::kElect || kind == ir::Scope::Kind::kLanes ||
        kind == ir::Scope::Kind::kThreads)
      return true;
  }
  return false;
}

}  // namespace

std::vector<bool> OthersWait(const machine::Code& code) {
  const std::vector<Instr>& all = code.instrs;
  size_t last = all.size();  // behind it everybody exits
  while (last > 0 && (all[last - 1].kind == Instr::Kind::kExit ||
                      all[last - 1].kind == Instr::Kind::kWiden))
    --last;
  std::vector<bool> out(code.ops.size());
  for (const Instr& narrow : all) {
    if (narrow.kind != Instr::Kind::kNarrow || !OfALane(code, narrow)) continue;
    const auto end = static_cast<size_t>(narrow.b);
    if (end >= last) continue;
    for (size_t pc = static_cast<size_t>(&narrow - all.data()); pc < end; ++pc)
      if (all[pc].kind == Instr::Kind::kOp) out[all[pc].a] = true;
  }
  return out;
}

Cycle NextPoll(Cycle since, Cycle completed, Cycle period) {
  // hop.turn: turns of 97 cycles and a number of rounds, of which 30 to 40 are
  // not spent in the wait; and where the next round begins. No wait that fails
  // at first takes less than a round.
  constexpr Cycle kBefore = 67, kVisible = 49;
  const Cycle first = since + kBefore + period;
  const Cycle waited = std::max<Cycle>(completed + kVisible - first, 0);
  return first + (waited + period - 1) / period * period;
}

}  // namespace tilesim::timing
