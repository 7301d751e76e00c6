#include "checkers/order/peeked.h"

namespace tilesim::checkers::order {
using run::BarrierUse;
using run::Event;
using run::IsPeek;

void Peeked::After(int32_t event) {
  const Event& e = log_.events[event];
  auto asks = peeks_.asks.find(e.op), waits = peeks_.waits.find(e.op);
  bool asked = asks != peeks_.asks.end(), waited = waits != peeks_.waits.end();
  if ((!asked && !waited) || e.operation >= 0) return;
  for (const BarrierUse& use : e.uses) {
    for (int w = 0; w < e.threads().warps; ++w) {
      int32_t warp = e.threads().first_warp + w;
      if (asked && IsPeek(use)) {
        any_ = true;
        Ask(last_[{e.cta, warp, asks->second}], e.threads(), {use, event});
      }
      if (waited && use.Is(ir::kAsks))
        Wait(last_[{e.cta, warp, waits->second}], use, event);
    }
  }
}

void Peeked::Ask(Last& last, const ir::ThreadSet& threads, const Asked& asked) {
  if (threads.electors != 0) {
    last.elected[threads.electors] = asked;
    return;
  }
  for (int lane = 0; lane < ir::kWarpThreads; ++lane) {
    if ((threads.lanes >> lane & 1) != 0) last.lanes[lane] = asked;
  }
}

// Of those of whom one is elected, it may be any.
void Peeked::Wait(const Last& last, const BarrierUse& use, int32_t event) {
  const ir::ThreadSet& t = log_.events[event].threads();
  const uint32_t lanes = t.electors != 0 ? t.electors : t.lanes;
  for (int lane = 0; lane < ir::kWarpThreads; ++lane) {
    if ((lanes >> lane & 1) != 0)
      WaitOfLane(last, lane, t.electors, {use, event});
  }
}

// docs/certificate.md 5.1. What the lane has asked last, as itself or as the
// elected one, which among the same lanes it is again, and among others may be
// or not. One that has never asked has no answer, and waits.
void Peeked::WaitOfLane(const Last& last, int lane, uint32_t electors,
                        const Asked& wait) {
  Asked asked = last.lanes[lane];
  auto again = last.elected.find(electors);
  if (again != last.elected.end() && again->second.event > asked.event)
    asked = again->second;
  Judge(asked, wait);
  for (const auto& [among, elected] : last.elected) {
    if ((among >> lane & 1) != 0 && elected.event > asked.event)
      Judge(elected, wait);
  }
}

// If the answer was yes the wait is not there: what it would have observed, and
// acquired, the peek has.
void Peeked::Judge(const Asked& asked, const Asked& wait) {
  if (asked.event < 0) return;
  const BarrierUse &peek = asked.use, &use = wait.use;
  bool same = peek.barrier == use.barrier && peek.phase == use.phase;
  if (!same && other_phase_.peek < 0) other_phase_ = {asked.event, wait.event};
  const bool acquires = peek.sem == use.sem || use.sem == ir::Sem::kRelaxed;
  holds_ &= same && acquires && peek.scope >= use.scope &&
            peek.ForCluster() >= use.ForCluster();
}

OtherPhase PeekForAnotherPhase(const run::Log& log) {
  Peeked peeked(log);
  for (size_t i = 0; i < log.events.size(); ++i)
    peeked.After(static_cast<int32_t>(i));
  return peeked.other_phase();
}

}  // namespace tilesim::checkers::order
