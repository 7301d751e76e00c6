#include "checkers/run/barrier_watch.h"

#include <utility>

namespace tilesim::checkers::run {

namespace {

using ir::EffectKind;

// Arrivals and bytes are counted for every thread that executes the op.
int64_t Times(const Event& event) {
  return event.concrete().info().scope == ir::ExecScope::kThread
             ? event.threads().threads()
             : 1;
}

}  // namespace

BarrierWatch::BarrierWatch(const machine::State& state,
                           std::vector<int32_t> ctas, int32_t cluster_size)
    : ctas_(std::move(ctas)),
      cluster_size_(cluster_size),
      shadows_(ctas_.size()) {
  for (size_t i = 0; i < ctas_.size(); ++i)
    shadows_[i].resize(state.ctas[ctas_[i]].mbarriers.size());
}

bool IsBarrierUse(EffectKind kind) {
  return kind >= EffectKind::kInit && kind <= EffectKind::kTest;
}

BarrierTargets TargetsOf(const ir::Effect& e, const ir::ConcreteOp& op,
                         int32_t cta, int32_t cluster_size, int only_rank) {
  const ir::BarrierValue& b = op.barrier(e.operand);
  uint32_t ranks = e.ranks;
  int32_t own = cta % cluster_size;
  if (ranks == 0) ranks = 1u << (b.cta == ir::kOwnCta ? own : b.cta);
  BarrierTargets out;
  for (int rank = 0; rank < cluster_size; ++rank) {
    bool meant = (ranks >> rank & 1) != 0 &&
                 (e.ranks == 0 || only_rank < 0 || only_rank == rank);
    if (meant) out.push_back({cta - own + rank, b.index});
  }
  return out;
}

void BarrierWatch::Use(const ir::Effect& e, BarrierTarget target,
                       Event& event) {
  Shadow& s = shadow(target);
  BarrierUse use;
  use.kind = e.kind == EffectKind::kTrack ? EffectKind::kArrive : e.kind;
  use.sem = e.sem;
  use.value = e.value * (e.kind == EffectKind::kInit ? 1 : Times(event));
  bool waits = e.kind == EffectKind::kWait || e.kind == EffectKind::kTest;
  if (e.kind == EffectKind::kTest && !s.last.Passes(e.value)) return;
  if (e.kind == EffectKind::kInit) {
    auto count = static_cast<int32_t>(e.value);
    // The same once more before any use is the same life (bug-catalogue N26).
    machine::Mbarrier fresh{true, 0, count, count, 0};
    if (!(s.last == fresh)) ++s.life;
  }
  use.phase = static_cast<int64_t>(s.last.phase) - (waits ? 1 : 0);
  use.barrier = {target.cta, target.index, s.life};
  bool counts =
      !waits && e.kind != EffectKind::kInit && e.kind != EffectKind::kInval;
  if (!counts || use.value != 0) event.uses.push_back(use);
}

void BarrierWatch::Executed(const machine::State& state,
                            ir::Milestone milestone, bool is_track,
                            int only_rank, Event& event) {
  BarrierTargets touched;
  for (const ir::Effect& e : event.effects()) {
    bool arrives = is_track && e.kind == EffectKind::kTrack;
    bool now = is_track ? arrives : IsBarrierUse(e.kind) && e.at == milestone;
    if (!now) continue;
    for (BarrierTarget t : Targets(e, event, only_rank)) {
      Use(e, t, event);
      touched.push_back(t);
    }
  }
  for (BarrierTarget t : touched) {
    const machine::Mbarrier& after =
        state.ctas[ctas_[t.cta]].mbarriers[t.index];
    Shadow& s = shadow(t);
    for (BarrierUse& use : event.uses) {
      if (use.barrier.cta == t.cta && use.barrier.index == t.index)
        use.completes |= after.phase > s.last.phase;
    }
    s.last = after;
  }
}

void BarrierWatch::Blocked(Event& event) const {
  for (const ir::Effect& e : event.effects()) {
    if (e.kind != EffectKind::kWait) continue;
    for (BarrierTarget t : Targets(e, event, -1)) {
      const Shadow& s = shadows_[t.cta][t.index];
      BarrierUse use;
      use.barrier = {t.cta, t.index, s.life};
      use.phase = s.last.phase;
      event.uses.push_back(use);
    }
  }
}

}  // namespace tilesim::checkers::run
