#include "checkers/run/recurrence.h"

#include <algorithm>

#include "sim/machine/counting.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::run {
namespace {

using machine::Strand;

// But for how many rounds of barriers there were.
bool SamePlace(const Strand& a, const Strand& b) {
  if (a.status == Strand::Status::kFree) return a.status == b.status;
  return a.pc == b.pc && a.status == b.status && a.waiting == b.waiting &&
         a.cta == b.cta && a.threads == b.threads &&
         a.cluster_arrived == b.cluster_arrived &&
         a.cluster_phase == b.cluster_phase && a.ready == b.ready &&
         a.frames == b.frames && a.groups == b.groups && a.slots == b.slots;
}

bool SameRound(const machine::NamedBarrier& a, const machine::NamedBarrier& b) {
  return a.expected == b.expected && a.arrived == b.arrived &&
         a.warps == b.warps && a.counted == b.counted;
}

bool SameCta(const machine::Cta& a, const machine::Cta& b) {
  return a.live == b.live && a.exited == b.exited &&
         a.relinquished == b.relinquished && a.triggered == b.triggered &&
         a.refused == b.refused && a.live_threads == b.live_threads &&
         a.free_registers == b.free_registers && a.registers == b.registers &&
         a.mbarriers == b.mbarriers && a.tmem == b.tmem && a.words == b.words &&
         a.strands == b.strands && a.inflight == b.inflight &&
         std::equal(a.named.begin(), a.named.end(), b.named.begin(), SameRound);
}

// Whether a strand that is inside a named barrier may leave it.
bool IsOver(const machine::State& state, const Strand& s) {
  return s.status == Strand::Status::kInNamed &&
         state.ctas[s.cta].named[s.waiting].generation != s.generation;
}

// Slots of strands are compared as they are: where threads divide and meet
// again they may be others, and the next round is compared.
bool SameState(const machine::State& a, const machine::State& b) {
  auto same = [&](const Strand& x, const Strand& y) {
    return SamePlace(x, y) && IsOver(a, x) == IsOver(b, y);
  };
  return a.next_order == b.next_order &&
         std::equal(a.strands.begin(), a.strands.end(), b.strands.begin(),
                    b.strands.end(), same) &&
         a.inflight == b.inflight && a.clusters == b.clusters &&
         a.grids == b.grids &&
         std::equal(a.ctas.begin(), a.ctas.end(), b.ctas.begin(), b.ctas.end(),
                    SameCta);
}

}  // namespace

uint64_t ChangesSoFar(const machine::Code& code) {
  const auto* counting =
      dynamic_cast<const machine::Counting*>(code.guide.get());
  return counting == nullptr ? 0 : counting->changes();
}

// The state that is kept is one of a turn that is a power of 2 (Brent), so that
// a round of n turns is seen at the latest after some 3 n.
bool Recurrence::IsHere(const machine::State& state, uint64_t changes) {
  ++turn_;
  if (kept_ && kept_->changes == changes && SameState(kept_->state, state))
    return true;
  if (!kept_ || turn_ == keep_at_) {
    kept_ = Kept{changes, state};
    if (turn_ >= keep_at_) keep_at_ = 2 * turn_;
  }
  return false;
}

}  // namespace tilesim::checkers::run
