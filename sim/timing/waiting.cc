// Engine: strands that wait for signals, and what wakes them.
#include <algorithm>
#include <optional>
#include <utility>

#include "sim/timing/engine.h"
#include "sim/timing/polls.h"

namespace tilesim::timing {

using machine::Signal;
using machine::StepResult;

void Engine::Block(int32_t strand, const Signal& signal) {
  for (int32_t other : state_.ctas[clocks_[strand].cta].strands) {
    bool together = other != strand && clocks_[other].blocked &&
                    clocks_[other].signal == signal;
    if (!together || !machine_.MergeWaiting(state_, strand, other)) continue;
    EndStrand(strand, now_);
    return;
  }
  NoteRole(strand);
  Clock& c = clocks_[strand];
  c.blocked = true;
  c.signal = signal;
  c.since = now_;
  c.at_op = OpOf(strand);
  waiting_[signal].strands.push_back(strand);
}

double Engine::WakeLatency(const Signal& signal, int32_t strand) const {
  bool lane = state_.strands[strand].threads.lanes_per_warp() == 1;
  switch (signal.kind) {
    case Signal::Kind::kMbarrier:
      return lane ? arch_.mbarrier_wake_lane : arch_.mbarrier_wake;
    case Signal::Kind::kCluster:
      return arch_.cluster_barrier;
    case Signal::Kind::kGroup:
      return arch_.wgmma_wake +
             (Polls(strand, clocks_[strand].at_op) ? kGroupOfLane : 0);
    case Signal::Kind::kRegisters:
      return arch_.setmaxnreg_inc;
    case Signal::Kind::kNamed:
      return arch_.bar_sync_base;
    case Signal::Kind::kGrid:
      return Cycles(arch_.launch_gap_programmatic);
    default:
      return 1;
  }
}

// Whether it is a lane that the others of its warp wait for.
bool Engine::Polls(int32_t strand, int32_t op) const {
  const int kernel = state_.ctas[clocks_[strand].cta].kernel;
  const std::vector<bool>& others = others_wait_[kernel];
  return op >= 0 && !others.empty() && others[op] &&
         state_.strands[strand].threads.lanes_per_warp() == 1;
}

// When a blocked strand goes on, if what it waits for is complete at
// `complete`.
Cycle Engine::WakesAt(int32_t strand, Cycle complete) const {
  const Clock& c = clocks_[strand];
  if (c.signal.kind == Signal::Kind::kMbarrier && Polls(strand, c.at_op))
    return NextPoll(c.since, complete, Rounded(arch_.mbarrier_poll));
  return complete + static_cast<Cycle>(WakeLatency(c.signal, strand));
}

bool Engine::Waits(const StepResult& r) {
  return !r.uses.empty() && r.uses[0].kind == ir::EffectKind::kWait;
}

// A wait that need not block has still to see what completed the phase.
// `woken`: it was blocked, and has seen it.
Cycle Engine::EarliestPass(int32_t strand, const StepResult& r,
                           bool woken) const {
  Signal signal;
  if (Waits(r)) {
    const machine::BarrierLife& b = r.uses[0].barrier;
    signal = {Signal::Kind::kMbarrier, b.cta, b.index};
  } else if (r.round && r.round->kind == ir::EffectKind::kClusterWait) {
    int32_t cta = state_.strands[strand].cta;
    signal = {Signal::Kind::kCluster, state_.ctas[cta].cluster, 0};
  } else {
    return now_;
  }
  auto it = waiting_.find(signal);
  if (it == waiting_.end() || !it->second.completed) return now_;
  if (signal.kind == Signal::Kind::kMbarrier && Polls(strand, r.op)) {
    const Cycle completed = *it->second.completed;
    if (woken || completed + kSeenAtOnce <= now_) return now_;
    return NextPoll(now_, completed, Rounded(arch_.mbarrier_poll));
  }
  return *it->second.completed +
         static_cast<Cycle>(WakeLatency(signal, strand));
}

// Wakes everybody who waits for what the last steps signalled. `released_by`
// may move meanwhile.
void Engine::DispatchAll(const Path& released_by, const Source& source,
                         Cycle seen) {
  const Path path = released_by;
  signals_.clear();
  machine_.TakeSignals(signals_);
  for (size_t i = 0; i < signals_.size(); ++i) {
    Signal signal = signals_[i];
    if (signal.kind == Signal::Kind::kExit) {
      CtaExited(signal.id, path);
      continue;
    }
    if (signal.kind == Signal::Kind::kGrid) {
      last_path_ = path;
      Push(now_, Event::Kind::kLaunch, 0, 0);
    }
    if (signal.kind == Signal::Kind::kMbarrier ||
        signal.kind == Signal::Kind::kCluster)
      waiting_[signal].completed = now_ + seen;
    auto it = waiting_.find(signal);
    if (it == waiting_.end()) continue;
    auto strands = std::exchange(it->second.strands, {});
    for (int32_t strand : strands) {
      const Clock& c = clocks_[strand];
      if (!c.blocked || !(c.signal == signal)) continue;
      // Barriers and groups complete in steps; look before waking.
      Signal still;
      if (machine_.BlockedOn(state_, strand, still)) {
        waiting_[still].strands.push_back(strand);
        clocks_[strand].signal = still;
        continue;
      }
      Wake(strand, WakesAt(strand, now_ + seen), path, source);
    }
  }
}

void Engine::Wake(int32_t strand, Cycle at, const Path& path,
                  const Source& source) {
  Clock& c = clocks_[strand];
  c.blocked = false;
  ++c.version;
  c.path = path;
  Spend(strand, c.at_op, Cause::kBarrier, at);
  WaitSum& w = waits_[KeyOf(c, c.signal, source)];
  w.cycles += static_cast<double>(at - c.since);
  ++w.count;
  if (watched_[state_.strands[strand].cta])
    options_.observer->OnWait(state_, strand, c.signal, source, c.since, at);
  c.since = at;
  Push(at, Event::Kind::kStrand, strand, c.version);
}

Engine::WaitKey Engine::KeyOf(const Clock& clock, const Signal& s,
                              const Source& by) const {
  int32_t index = s.index;
  const int16_t kernel = state_.ctas[clock.cta].kernel;
  if (s.kind == Signal::Kind::kMbarrier) {
    const ir::BoundKernel& b = machine_.code(kernel).bound;
    for (size_t d = 0; d < b.decls.size(); ++d) {
      const ir::BoundDecl& decl = b.decls[d];
      if (decl.space == ir::Space::kMbarrier && s.index >= decl.place &&
          s.index < decl.place + decl.objects)
        index = static_cast<int32_t>(d);
    }
  }
  return {kernel, clock.role, s.kind, index, clock.at_op, by.kernel, by.op};
}

}  // namespace tilesim::timing
