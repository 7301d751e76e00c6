#include "checkers/pairwise/barrier_lanes.h"

#include <algorithm>

#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using report::BarrierOf;
using report::Finding;
using report::SpanOf;
using report::WhoOf;
using run::BarrierUse;
using run::Event;

namespace {

constexpr ir::Code kCodes[] = {"init/unpublished", "init/after-inval",
                               "init/twice"};

bool Uses(const BarrierUse& use) {
  return use.Is(ir::kContributes) || use.Is(ir::kAsks);
}

}  // namespace

std::span<const ir::Code> BarrierLanes::codes() const { return kCodes; }

// A wait must know of the init when it is reached: what it acquires when it
// passes says nothing of a barrier that was not there yet.
void BarrierLanes::OnReached(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  for (const BarrierUse& use : e.uses) {
    if (use.barrier.cta == e.cta && use.Is(ir::kAsks))
      Judge(context, event, use);
  }
}

void BarrierLanes::OnEvent(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  // Asynchronous operations are no lanes; those of other CTAs are other warps.
  if (e.kind == Event::Kind::kDone) return;
  if (e.kind == Event::Kind::kOp) FollowRounds(context, event);
  for (const BarrierUse& use : e.uses) {
    if (use.barrier.cta != e.cta) continue;
    if (!use.Is(ir::kAsks)) Judge(context, event, use);
    Note(context, event, use);
  }
}

void BarrierLanes::FollowRounds(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  for (const ir::Effect& effect : e.effects()) {
    const bool fences = effect.kind == ir::EffectKind::kFence &&
                        effect.fence == ir::FenceKind::kMbarrierInit;
    const bool arrives = effect.kind == ir::EffectKind::kClusterArrive;
    const bool waits = effect.kind == ir::EffectKind::kClusterWait;
    if (!fences && !arrives && !waits) continue;
    for (int32_t agent : context.order.agents().Of(e)) {
      Rounds& rounds = rounds_[agent];
      if (fences) rounds.fenced = context.order.mark(agent).seq;
      if (arrives) rounds.arrived = e.generation;
      if (arrives) rounds.after.emplace(rounds.fenced, e.generation);
      if (waits) rounds.waited = rounds.arrived;
    }
  }
}

bool BarrierLanes::ShownByRound(order::Mark init, int32_t agent) const {
  auto by = rounds_.find(init.agent), who = rounds_.find(agent);
  if (by == rounds_.end() || who == rounds_.end()) return false;
  auto first = by->second.after.upper_bound(init.seq);
  return first != by->second.after.end() && first->second <= who->second.waited;
}

void BarrierLanes::Judge(const Context& context, int32_t event,
                         const BarrierUse& use) {
  const Life& life = lives_[use.barrier];
  if (Uses(use)) {
    After(context, event, use, life.inits,
          {"init/unpublished",
           "is used by a lane that need not have seen its init: another lane "
           "of the warp executes that",
           "initialised here", "used here", true});
  } else if (use.kind == ir::EffectKind::kInval) {
    constexpr std::string_view kMessage =
        "may still be in use when it is invalidated: by another lane of the "
        "warp";
    After(context, event, use, life.inits,
          {"init/after-inval", kMessage, "initialised here", "invalidated here",
           true});
    After(context, event, use, life.uses,
          {"init/after-inval", kMessage, "used here", "invalidated here"});
  } else if (use.kind == ir::EffectKind::kInit) {
    run::BarrierLife last = use.barrier;
    --last.life;
    auto before = lives_.find(last);
    if (before == lives_.end()) return;
    After(context, event, use, before->second.invals,
          {"init/twice",
           "may still be live when it is initialised again: another lane of "
           "the warp invalidates it",
           "invalidated here", "initialised again here"});
  }
}

void BarrierLanes::Note(const Context& context, int32_t event,
                        const BarrierUse& use) {
  Life& life = lives_[use.barrier];
  Last* last = nullptr;
  if (Uses(use)) {
    last = &life.uses;
  } else if (use.kind == ir::EffectKind::kInit) {
    last = &life.inits;
  } else if (use.kind == ir::EffectKind::kInval) {
    last = &life.invals;
  }
  if (last == nullptr) return;
  for (int32_t agent : context.order.agents().Of(context.log.events[event]))
    (*last)[agent] = {event, context.order.mark(agent)};
}

// That other warps are not done with it either is the certificate's to tell.
bool BarrierLanes::OtherWarpsAreDone(const Context& context, int32_t event,
                                     int32_t agent, const Last& earlier) {
  const order::Order& enforced = context.enforced.At(event - 1);
  const order::Agents& agents = enforced.agents();
  return std::all_of(earlier.begin(), earlier.end(), [&](const auto& other) {
    return agents[other.first].warp == agents[agent].warp ||
           enforced.clock(agent).Knows(other.second.mark);
  });
}

// Of an init: warps that run one after the other, but by a barrier that shows
// no memory. Of warps in no order the certificate tells (init/missing).
bool BarrierLanes::OnlyRunsAfter(const Context& context, int32_t event,
                                 int32_t agent, const Done& init) {
  return context.enforced.At(event - 1).clock(agent).Knows(init.mark);
}

void BarrierLanes::After(const Context& context, int32_t event,
                         const BarrierUse& use, const Last& earlier,
                         const Pair& pair) {
  const run::Log& log = context.log;
  const Event& e = log.events[event];
  const order::Agents& agents = context.order.agents();
  for (int32_t agent : agents.Of(e)) {
    for (const auto& [other, done] : earlier) {
      if (agents[agent].cta != agents[other].cta ||
          context.order.clock(agent).Knows(done.mark) ||
          (pair.of_init && ShownByRound(done.mark, agent)))
        continue;
      const bool lanes = agents[agent].warp == agents[other].warp;
      if (!lanes &&
          (!pair.of_init || !OnlyRunsAfter(context, event, agent, done)))
        continue;
      if (!OtherWarpsAreDone(context, event, agent, earlier)) return;
      const Event& before = log.events[done.event];
      Finding* found = context.findings.AddAt(pair.code, "lanes of a warp",
                                              {SpanOf(before), SpanOf(e)});
      if (found == nullptr) return;
      ir::Diagnostic& d = found->diagnostic;
      d.message = ir::Cat(BarrierOf(log, use.barrier), " ",
                          lanes ? pair.message
                                : "is used by a warp that need not have seen "
                                  "its init: a relaxed barrier lies between");
      d.span = SpanOf(before);
      d.span_text = ir::Cat(WhoOf(log, before), ": ", pair.earlier);
      d.labels.push_back({SpanOf(e), ir::Cat(WhoOf(log, e), ": ", pair.later)});
      d.help = lanes ? "bar.warp.sync between the two, or let one lane do "
                       "both; the elected lane need not be lane 0"
                     : "fence.mbarrier_init in the thread that initialises it, "
                       "or a barrier that is not relaxed";
      return;
    }
  }
}

}  // namespace tilesim::checkers::pairwise
