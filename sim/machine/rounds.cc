// Rounds of hardware barriers: who enters one, when it is over. A thread that
// has exited is not waited for (PTX 9.7.12.5, exit), but by a named barrier for
// which somebody named a count: measured on an H200, that one hangs.
#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "ir/warp.h"
#include "sim/machine/effect_runner.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {
using ir::Effect;
using ir::EffectKind;

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
  b.warps = 0;
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

// PTX calls it unpredictable that a warp which has arrived comes to the barrier
// again before its round is over (9.7.13.1). An H200 counts it twice
// (h200-readings.md 3.3), as compiled code relies on where a warp gives itself
// the first turn: it then goes on, and the finding is one of practice.
bool EffectRunner::ComesAgain(const Effect& e) {
  std::string says = ir::Cat("a warp comes to barrier ", e.value,
                             " again before its round is over");
  const bool compiled =
      machine_.code_of(state_.ctas[cta_]).byte_sets != nullptr;
  if (!compiled || e.kind != EffectKind::kNamedSync) {
    Fault("barrier/participants", std::move(says));
    return false;
  }
  Report("barrier/participants",
         ir::Cat(says, ", as one that has arrived and now waits"), "",
         /*warning=*/true);
  return true;
}

void EffectRunner::Named(const Effect& e) {
  Cta& cta = state_.ctas[cta_];
  int64_t all = machine_.code_of(cta).bound.block;
  int64_t expected = e.count == 0 ? all : e.count;
  const bool has_id = e.value >= 0 && e.value < ir::kNamedBarriers;
  if (!has_id || expected % ir::kWarpThreads != 0 || expected < 0 ||
      expected > ir::kMaxArrivals) {
    Fault("barrier/count-mismatch",
          ir::Cat("barrier ", e.value, " with ", expected,
                  " threads: ids are 0 to 15, counts whole warps"),
          has_id ? "count the threads of the warps that come: 32 for each"
                 : "a CTA has 16 named barriers, 0 to 15: take one of them, or "
                   "an mbarrier");
    return;
  }
  NamedBarrier& b = cta.named[e.value];
  if (b.expected != 0 && b.expected != expected) {
    Fault("barrier/count-mismatch",
          ir::Cat("barrier ", e.value, " is entered for ", expected,
                  " threads while others entered it for ", b.expected));
    return;
  }
  // Measured on an H200 (h200-readings.md 3.2).
  if (b.arrived != 0 && b.counted != (e.count != 0)) {
    Fault(
        "barrier/count-mismatch",
        ir::Cat("barrier ", e.value, " is entered with a count of threads by ",
                "some, and for all threads by others: a GPU takes that for "
                "an illegal instruction"));
    return;
  }
  round_ = {e.kind, static_cast<int8_t>(e.value), b.generation};
  b.expected = static_cast<int32_t>(expected);
  b.counted |= e.count != 0;
  const ir::ThreadSet& t = state_.strands[strand_].threads;
  const auto come =
      static_cast<uint32_t>(((uint64_t{1} << t.warps) - 1) << t.first_warp);
  if ((b.warps & come) != 0 && !ComesAgain(e)) return;
  b.warps |= come;
  b.arrived += warp_threads();
  if (b.arrived > b.expected) {
    Fault("barrier/participants", ir::Cat("barrier ", e.value, " of ", expected,
                                          " threads is entered "
                                          "by ",
                                          b.arrived));
    return;
  }
  Strand& s = state_.strands[strand_];
  if (e.kind == EffectKind::kNamedSync) {
    stays_ = true;
    s.waiting = static_cast<int8_t>(e.value);
    s.generation = b.generation;
  }
  machine_.MaybeEndNamed(state_, cta_, static_cast<int32_t>(e.value));
}

void EffectRunner::ClusterArrive() {
  Strand& s = state_.strands[strand_];
  const Cta& cta = state_.ctas[cta_];
  Cluster& cluster = state_.clusters[cta.cluster];
  if (s.cluster_arrived) {
    Fault("barrier/participants",
          "barrier.cluster.arrive again before barrier.cluster.wait");
    return;
  }
  s.cluster_arrived = true;
  s.cluster_phase = cluster.generation;
  round_ = {EffectKind::kClusterArrive, -1, cluster.generation};
  cluster.arrived += warp_threads();
  machine_.MaybeEndCluster(state_, cta.cluster);
}

void EffectRunner::ClusterWait() {
  Strand& s = state_.strands[strand_];
  if (!s.cluster_arrived) {
    Fault("barrier/participants",
          "barrier.cluster.wait without barrier.cluster.arrive");
  }
  s.cluster_arrived = false;
  round_ = {EffectKind::kClusterWait, -1,
            state_.clusters[state_.ctas[cta_].cluster].generation};
}

}  // namespace tilesim::machine
