#include "checkers/pairwise/barrier_lanes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "checkers/report/names.h"
#include "checkers/run/peeks.h"
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

constexpr std::string_view kRelease =
    "let the signal between the two release (an arrival or a fence that is not "
    "relaxed) behind all lanes that used it (bar.warp.sync), and let who comes "
    "later acquire it";

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
  // Of asynchronous operations the certificate knows whether they are over.
  if (e.kind == Event::Kind::kDone) return;
  if (e.kind == Event::Kind::kOp) FollowRounds(context, event);
  for (const BarrierUse& use : e.uses) {
    const bool own = use.barrier.cta == e.cta;
    if (own && !use.Is(ir::kAsks)) Judge(context, event, use);
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
    for (const Last* uses : {&life.counts, &life.asks})
      After(
          context, event, use, *uses,
          {"init/after-inval", kMessage, "used here", "invalidated here", false,
           "may still be in use when it is invalidated: who invalidates it "
           "runs later, but no signal between the two shows that use",
           kRelease});
  } else if (use.kind == ir::EffectKind::kInit) {
    run::BarrierLife last = use.barrier;
    --last.life;
    auto before = lives_.find(last);
    if (before == lives_.end()) return;
    After(context, event, use, before->second.invals,
          {"init/twice",
           "may still be live when it is initialised again: another lane of "
           "the warp invalidates it",
           "invalidated here", "initialised again here", false,
           "may still be live when it is initialised again: by a thread that "
           "runs later, but that no signal has shown the inval",
           kRelease});
  }
}

void BarrierLanes::Note(const Context& context, int32_t event,
                        const BarrierUse& use) {
  Life& life = lives_[use.barrier];
  for (int32_t agent : context.order.agents().Of(context.log.events[event])) {
    const order::Mark mark = context.order.mark(agent);
    if (use.kind == ir::EffectKind::kInit)
      life.inits[agent] = {event, mark};
    else if (use.kind == ir::EffectKind::kInval)
      life.invals[agent] = {event, mark};
    else if (Uses(use))
      NoteUse(life, use, event, mark);
  }
}

// A thread's own accesses to the word stay in their order: where what it
// counted has been seen, so has what it asked before.
void BarrierLanes::NoteUse(Life& life, const BarrierUse& use, int32_t event,
                           order::Mark mark) {
  if (use.Is(ir::kAsks)) {
    life.asks[mark.agent] = {event, mark};
    if (!run::IsPeek(use))
      life.seen[mark.agent].push_back({mark.seq, use.phase});
    return;
  }
  life.counts[mark.agent] = {event, mark, use.phase};
  const auto asked = life.asks.find(mark.agent);
  if (asked != life.asks.end())
    asked->second.shown_by = std::min(asked->second.shown_by, use.phase);
}

int64_t BarrierLanes::LastSeen(const Context& context, const Life& life,
                               int32_t agent) {
  int64_t last = -1;
  const order::Clock& clock = context.order.clock(agent);
  for (const auto& [who, all] : life.seen) {
    const auto known = std::partition_point(
        all.begin(), all.end(), [&, who = who](const Seen& s) {
          return clock.Knows(order::Mark{who, s.seq});
        });
    if (known != all.begin()) last = std::max(last, std::prev(known)->phase);
  }
  return last;
}

// That other warps are not done with it either is the certificate's to tell.
bool BarrierLanes::OtherWarpsAreDone(const Context& context, int32_t event,
                                     int32_t agent, const Last& earlier) {
  const order::Order& enforced = context.enforced.At(event - 1);
  const order::Agents& agents = enforced.agents();
  return std::all_of(earlier.begin(), earlier.end(), [&](const auto& other) {
    return (agents[other.first].cta == agents[agent].cta &&
            agents[other.first].warp == agents[agent].warp) ||
           enforced.clock(agent).Knows(other.second.mark);
  });
}

// Threads that run one after the other, but by a signal that shows no memory.
// Of those in no order the certificate tells.
bool BarrierLanes::OnlyRunsAfter(const Context& context, int32_t event,
                                 int32_t agent, const Done& done) {
  return context.enforced.At(event - 1).clock(agent).Knows(done.mark);
}

void BarrierLanes::After(const Context& context, int32_t event,
                         const BarrierUse& use, const Last& earlier,
                         const Pair& pair) {
  const order::Agents& agents = context.order.agents();
  const Life& life = lives_[use.barrier];
  for (int32_t agent : agents.Of(context.log.events[event])) {
    const int64_t seen = pair.of_init ? -1 : LastSeen(context, life, agent);
    for (const auto& [other, done] : earlier) {
      if (context.order.clock(agent).Knows(done.mark) ||
          done.shown_by <= seen ||
          (pair.of_init && ShownByRound(done.mark, agent)))
        continue;
      const bool lanes = agents[agent].cta == agents[other].cta &&
                         agents[agent].warp == agents[other].warp;
      if (!lanes && !OnlyRunsAfter(context, event, agent, done)) continue;
      if (OtherWarpsAreDone(context, event, agent, earlier))
        Report(context, event, use, done, lanes, pair);
      return;
    }
  }
}

void BarrierLanes::Report(const Context& context, int32_t event,
                          const BarrierUse& use, const Done& done, bool lanes,
                          const Pair& pair) {
  const run::Log& log = context.log;
  const Event &before = log.events[done.event], &e = log.events[event];
  Finding* found = context.findings.AddAt(pair.code, "lanes of a warp",
                                          {SpanOf(before), SpanOf(e)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat(BarrierOf(log, use.barrier), " ",
                      lanes ? pair.message : pair.between);
  d.span = SpanOf(before);
  d.span_text = ir::Cat(WhoOf(log, before), ": ", pair.earlier);
  d.labels.push_back({SpanOf(e), ir::Cat(WhoOf(log, e), ": ", pair.later)});
  d.help = lanes ? "bar.warp.sync between the two, or let one lane do "
                   "both; the elected lane need not be lane 0"
                 : std::string(pair.help);
}

}  // namespace tilesim::checkers::pairwise
