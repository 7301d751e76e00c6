#include "checkers/order/peeked.h"

namespace tilesim::checkers::order {
using run::BarrierUse;
using run::Event;
using run::IsPeek;

namespace {

// Whether each lane that waits is one of those that asked. Who is elected may
// be any of the electors, and of the same ones is the same.
bool AskedByAll(const ir::ThreadSet& asked, const ir::ThreadSet& waits) {
  if (asked.electors != 0) return asked.electors == waits.electors;
  const uint32_t lanes = waits.electors != 0 ? waits.electors : waits.lanes;
  return (lanes & ~asked.lanes) == 0;
}

}  // namespace

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
        last_[{e.cta, warp, asks->second}] = {use, event};
      }
      if (waited && use.Is(ir::kAsks))
        Wait({e.cta, warp, waits->second}, use, event);
    }
  }
}

// docs/certificate.md 5.1.
// If the answer was yes the wait is not there: what it would have observed, and
// acquired, the peek has.
void Peeked::Wait(Who who, const BarrierUse& use, int32_t event) {
  auto last = last_.find(who);
  if (last == last_.end()) return;
  const BarrierUse& peek = last->second.use;
  bool same = peek.barrier == use.barrier && peek.phase == use.phase;
  if (!same && other_phase_.peek < 0)
    other_phase_ = {last->second.event, event};
  const bool by_all = AskedByAll(log_.events[last->second.event].threads(),
                                 log_.events[event].threads());
  holds_ &= same && by_all && peek.sem == use.sem && peek.scope == use.scope &&
            peek.scope_written == use.scope_written;
}

OtherPhase PeekForAnotherPhase(const run::Log& log) {
  Peeked peeked(log);
  for (size_t i = 0; i < log.events.size(); ++i)
    peeked.After(static_cast<int32_t>(i));
  return peeked.other_phase();
}

}  // namespace tilesim::checkers::order
