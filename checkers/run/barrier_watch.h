// Gives every use of an mbarrier the phase it means. The machine has only the
// current state; what an event did follows from the state before and after.
#ifndef TILESIM_CHECKERS_RUN_BARRIER_WATCH_H_
#define TILESIM_CHECKERS_RUN_BARRIER_WATCH_H_

#include <vector>

#include "checkers/run/log.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::run {

// Whether an effect looks at or changes an mbarrier.
bool IsBarrierUse(ir::EffectKind kind);

// A copy of an mbarrier.
struct BarrierTarget {
  int32_t cta;
  int32_t index;
};
using BarrierTargets = absl::InlinedVector<BarrierTarget, 4>;

// Which barriers an effect of an op of CTA `cta` means: the ranks of a cluster
// are CTAs one after the other. `only_rank`: the rank a multicast agent serves,
// or -1.
BarrierTargets TargetsOf(const ir::Effect& e, const ir::ConcreteOp& op,
                         int32_t cta, int32_t cluster_size, int only_rank);

class BarrierWatch {
 public:
  // `ctas`: slots of the CTAs that run.
  BarrierWatch(const machine::State& state, std::vector<int32_t> ctas,
               int32_t cluster_size);

  // Fills event.uses for the effects at `milestone`, just executed by
  // event.cta. `only_rank`: the rank a multicast agent serves, or -1.
  // A track's own arrivals are its kDone.
  void Executed(const machine::State& state, ir::Milestone milestone,
                bool is_track, int only_rank, Event& event);
  // The same for an op that never got past its wait.
  void Blocked(Event& event) const;

 private:
  struct Shadow {
    machine::Mbarrier last;
    int32_t life = -1;
  };

  BarrierTargets Targets(const ir::Effect& e, const Event& event,
                         int only_rank) const {
    return TargetsOf(e, event.concrete(), event.cta, cluster_size_, only_rank);
  }
  void Use(const ir::Effect& e, BarrierTarget target, Event& event);
  Shadow& shadow(BarrierTarget t) { return shadows_[t.cta][t.index]; }

  std::vector<int32_t> ctas_;
  int32_t cluster_size_;
  std::vector<std::vector<Shadow>> shadows_;  // by rank, index
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_BARRIER_WATCH_H_
