#include "checkers/pairwise/init_fence.h"

#include <algorithm>

#include "checkers/pairwise/fences.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using order::Clock;
using order::Mark;
using order::Order;
using report::BarrierOf;
using report::BarriersOf;
using report::Finding;
using report::SpanOf;
using report::WhoOf;
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"init/unpublished"};

FenceWanted WantedFor(int32_t init, int32_t use) {
  FenceWanted wanted;
  wanted.earlier = init;
  wanted.later = use;
  wanted.kind = [](const Event&, const ir::Effect& f) {
    return f.fence == ir::FenceKind::kMbarrierInit;
  };
  return wanted;
}

const Clock& ClockOf(const Order& order, const Event& e, int32_t agent) {
  return agent < 0 ? order.start(e.operation) : order.clock(agent);
}

}  // namespace

std::span<const ir::Code> InitFence::codes() const { return kCodes; }

void InitFence::OnEvent(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  if (e.kind == Event::Kind::kOp) Note(context, event);
  bool done = e.kind == Event::Kind::kDone;
  // cp.async.mbarrier.arrive is a thing of the generic proxy.
  bool generic = done && context.log.operations[e.operation].tracks ==
                             ir::GroupKind::kCpAsync;
  for (const BarrierUse& use : e.uses) {
    bool remote = use.barrier.cta != e.cta;
    if (!use.Is(ir::kContributes) || generic || (!done && !remote)) continue;
    if (done) {
      Used(context, event, use, -1);
    } else {
      for (int32_t agent : context.order.agents().Of(e))
        Used(context, event, use, agent);
    }
  }
}

void InitFence::Note(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  if (!e.instance->Has(ir::EffectKind::kInit) &&
      !e.instance->Has(ir::EffectKind::kFence))
    return;
  for (int32_t agent : context.order.agents().Of(e)) {
    Mark mark = context.order.mark(agent);
    for (const BarrierUse& use : e.uses) {
      if (use.kind == ir::EffectKind::kInit)
        inits_[use.barrier].push_back({event, mark});
    }
    for (const ir::Effect& f : e.effects()) {
      bool init = f.fence == ir::FenceKind::kMbarrierInit;
      bool proxy = ir::IsProxyFence(f.fence, {ir::Space::kMbarrier});
      if (f.kind == ir::EffectKind::kFence && (init || proxy))
        fences_[agent].push_back({mark, !init});
    }
  }
}

void InitFence::Used(const Context& context, int32_t event,
                     const BarrierUse& use, int32_t agent) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  bool remote = use.barrier.cta != e.cta;
  const Clock& clock = ClockOf(context.order, e, agent);
  for (const Init& init : inits_[use.barrier]) {
    const std::vector<Fence>& fences = fences_[init.mark.agent];
    auto fenced = [&](const Clock& knows, bool proxy_fence) {
      return std::any_of(fences.begin(), fences.end(), [&](const Fence& f) {
        return f.mark.seq > init.mark.seq && knows.Knows(f.mark) &&
               (proxy_fence || !f.proxy);
      });
    };
    bool shown = clock.Knows(init.mark);
    if (shown && fenced(clock, !remote)) continue;
    const Clock& enforced = ClockOf(context.enforced.At(event), e, agent);
    if (!enforced.Knows(init.mark)) continue;  // init/missing
    // A relaxed barrier shows nothing of the init but what its fence released,
    // if the fence stands before it.
    if (!shown && fenced(enforced, false)) continue;
    const Event& i = log.events[init.event];
    // By the memory model it is enough that a thread comes after the init; what
    // copies signal is of another proxy. Told by itself, of compiled code.
    const bool thread = remote && agent >= 0 && log.code->guide != nullptr;
    const bool knows = shown && thread;
    // So is one that has not acquired it, but comes later by a relaxed barrier,
    // where the fence stands right in front of the init.
    const bool comes =
        !shown && thread &&
        std::any_of(fences.begin(), fences.end(), [&](const Fence& f) {
          return !f.proxy && f.mark.seq < init.mark.seq;
        });
    Finding* found =
        context.findings.AddAt("init/unpublished",
                               ir::Cat(knows   ? "known "
                                       : comes ? "comes "
                                               : "",
                                       "fence ", BarriersOf(log, use.barrier)),
                               {SpanOf(i), SpanOf(e)});
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.span = SpanOf(i);
    d.span_text = ir::Cat(WhoOf(log, i), ": initialised here");
    d.labels.push_back(
        {SpanOf(e), ir::Cat(WhoOf(log, e), ": signalled from here")});
    bool stands = NoteFence(context, WantedFor(init.event, event), d);
    d.message = ir::Cat(BarrierOf(log, use.barrier), " is signalled ",
                        remote ? "from another CTA" : "asynchronously",
                        knows    ? ", which knows of its init,"
                        : comes  ? ", which comes later than its init,"
                        : stands ? ","
                                 : "",
                        stands ? " and the fence.mbarrier_init that stands "
                                 "there does not publish its init"
                               : " without a fence.mbarrier_init after its "
                                 "init");
    d.help = "fence.mbarrier_init in the same thread, before the barrier";
  }
}

}  // namespace tilesim::checkers::pairwise
