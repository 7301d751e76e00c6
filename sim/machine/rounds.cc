// Rounds of hardware barriers: when one is over. A thread that has exited is
// not waited for (PTX 9.7.12.5, exit), but by a named barrier for which
// somebody named a count: measured on an H200, that one hangs.
#include "sim/machine/machine.h"

namespace tilesim::machine {
namespace {

int32_t ExitedOf(const Cta& cta, const Code& code) {
  return static_cast<int32_t>(code.bound.block) - cta.live_threads;
}

}  // namespace

int32_t Machine::ExpectedAt(const State& state, int32_t cta, int32_t id) const {
  const Cta& c = state.ctas[cta];
  const NamedBarrier& b = c.named[id];
  return b.counted ? b.expected : b.expected - ExitedOf(c, code_of(c));
}

void Machine::MaybeEndNamed(State& state, int32_t cta, int32_t id) {
  NamedBarrier& b = state.ctas[cta].named[id];
  if (b.arrived == 0 || b.arrived < ExpectedAt(state, cta, id)) return;
  b.arrived = b.expected = 0;
  b.counted = false;
  ++b.generation;
  Raise(Signal::Kind::kNamed, cta, id);
}

void Machine::MaybeEndCluster(State& state, int32_t cluster) {
  Cluster& c = state.clusters[cluster];
  int64_t awaited = 0;
  for (int32_t cta : c.ctas) awaited += state.ctas[cta].live_threads;
  if (c.arrived == 0 || c.arrived < awaited) return;
  c.arrived = 0;
  ++c.generation;
  Raise(Signal::Kind::kCluster, cluster);
}

// Its threads are gone already. Those that had arrived are not counted twice.
void Machine::LeaveRounds(State& state, const Strand& s) {
  Cluster& cluster = state.clusters[state.ctas[s.cta].cluster];
  if (s.cluster_arrived && s.cluster_phase == cluster.generation)
    cluster.arrived -= s.threads.warps * ir::kWarpThreads;
  MaybeEndCluster(state, state.ctas[s.cta].cluster);
  auto named = static_cast<int32_t>(state.ctas[s.cta].named.size());
  for (int32_t id = 0; id < named; ++id) MaybeEndNamed(state, s.cta, id);
}

}  // namespace tilesim::machine
