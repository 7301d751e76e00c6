#include "checkers/checks/init_fence.h"

#include <algorithm>

#include "checkers/checks/names.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

constexpr std::string_view kCodes[] = {"init/unpublished"};

bool IsProxyFence(ir::FenceKind f) {
  return f == ir::FenceKind::kProxyAsync || f == ir::FenceKind::kProxyShared;
}

bool Signals(const BarrierUse& use) {
  return use.kind == ir::EffectKind::kArrive ||
         use.kind == ir::EffectKind::kArriveDrop ||
         use.kind == ir::EffectKind::kExpectTx ||
         use.kind == ir::EffectKind::kCompleteTx;
}

}  // namespace

const Descriptor& InitFence::descriptor() const {
  static constexpr Descriptor kDescriptor{
      kCodes, "mbarriers that no fence publishes to async units and peers"};
  return kDescriptor;
}

void InitFence::OnEvent(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  if (e.kind == Event::Kind::kOp) Note(context, event);
  bool done = e.kind == Event::Kind::kDone;
  // cp.async.mbarrier.arrive is a thing of the generic proxy.
  bool generic = done && context.log.operations[e.operation].tracks ==
                             ir::GroupKind::kCpAsync;
  for (const BarrierUse& use : e.uses) {
    bool remote = use.barrier.cta != e.cta;
    if (!Signals(use) || generic || (!done && !remote)) continue;
    if (done) {
      Used(context, event, use, context.order.start(e.operation),
           context.enforced.start(e.operation));
    } else {
      for (int32_t agent : context.order.agents().Of(e))
        Used(context, event, use, context.order.clock(agent),
             context.enforced.clock(agent));
    }
  }
}

void InitFence::Note(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  for (int32_t agent : context.order.agents().Of(e)) {
    Mark mark = context.order.mark(agent);
    for (const BarrierUse& use : e.uses) {
      if (use.kind == ir::EffectKind::kInit)
        inits_[use.barrier].push_back({event, mark});
    }
    for (const ir::Effect& f : e.effects()) {
      bool init = f.fence == ir::FenceKind::kMbarrierInit;
      if (f.kind == ir::EffectKind::kFence && (init || IsProxyFence(f.fence)))
        fences_[agent].push_back({mark, !init});
    }
  }
}

void InitFence::Used(const Context& context, int32_t event,
                     const BarrierUse& use, const Clock& clock,
                     const Clock& enforced) {
  const Log& log = context.log;
  const Event& e = log.events[event];
  bool remote = use.barrier.cta != e.cta;
  for (const Init& init : inits_[use.barrier]) {
    if (!enforced.Knows(init.mark)) continue;  // init/missing
    // A relaxed barrier shows nothing of the init but what its fence released,
    // if the fence stands before it.
    bool shown = clock.Knows(init.mark);
    const std::vector<Fence>& fences = fences_[init.mark.agent];
    bool fenced =
        std::any_of(fences.begin(), fences.end(), [&](const Fence& f) {
          return f.mark.seq > init.mark.seq &&
                 (shown ? clock.Knows(f.mark) && !(remote && f.proxy)
                        : enforced.Knows(f.mark) && !f.proxy);
        });
    if (fenced) continue;
    const Event& i = log.events[init.event];
    std::string barrier = BarrierOf(log, use.barrier);
    barrier = barrier.substr(0, barrier.find('['));
    Found* found = context.findings.Add(kCodes[0], ir::Cat("fence ", barrier));
    if (found == nullptr) continue;
    ir::Diagnostic& d = found->diagnostic;
    d.message = ir::Cat(BarrierOf(log, use.barrier), " is signalled ",
                        remote ? "from another CTA" : "asynchronously",
                        " without a fence.mbarrier_init after its init");
    d.span = SpanOf(i);
    d.span_text = ir::Cat(WhoOf(log, i), ": initialised here");
    d.labels.push_back(
        {SpanOf(e), ir::Cat(WhoOf(log, e), ": signalled from here")});
    d.help = "fence.mbarrier_init in the same thread, before the barrier";
  }
}

}  // namespace tilesim::checkers
