#include "checkers/order/repeats.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "checkers/report/names.h"
#include "checkers/run/last_seen.h"
#include "ir/cat.h"

namespace tilesim::checkers::order {
using report::BarrierOf;
using report::Finding;
using report::Findings;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

const BarrierUse* WaitOf(const Event& e) {
  if (e.kind != Event::Kind::kOp && e.kind != Event::Kind::kBlocked)
    return nullptr;
  for (const BarrierUse& use : e.uses) {
    if (use.kind == ir::EffectKind::kWait) return &use;
  }
  return nullptr;
}

}  // namespace

std::vector<Repeat> RepeatsOf(const Log& log) {
  run::LastSeen seen;
  std::set<int32_t> again, at_once, stuck;  // ops
  std::vector<Repeat> out, fresh, ahead;
  for (size_t i = 0; i < log.events.size(); ++i) {
    const Event& e = log.events[i];
    const BarrierUse* use = WaitOf(e);
    if (use == nullptr) continue;
    auto event = static_cast<int32_t>(i);
    // A phase that all of its threads have seen cannot be what they wait for:
    // whatever the parity was meant to say, it does not hold them up.
    const run::LastSeen::Phase last = seen.Of(e.cta, e.threads(), use->barrier);
    if (e.kind == Event::Kind::kBlocked) {
      // What it waits for is the open phase. Two phases on the parity is right,
      // and the wait is late.
      const int64_t next = std::max<int64_t>(last.number, -1) + 1;
      if (next < use->phase && (use->phase - next) % 2 == 1 &&
          stuck.insert(e.op).second)
        ahead.push_back({event, last.event, true});
      continue;
    }
    int32_t before = last.number >= use->phase ? last.event : -1;
    if (before >= 0 && again.insert(e.op).second)
      out.push_back({event, before});
    if (before < 0 && use->phase < 0 && at_once.insert(e.op).second)
      fresh.push_back({event, -1});
    seen.Add(e, event);
  }
  // A producer's first wait for `empty` passes at once by intention, so those
  // come last.
  out.insert(out.end(), fresh.begin(), fresh.end());
  // One word for a wait is enough.
  std::erase_if(ahead, [&](const Repeat& r) {
    const int32_t op = log.events[r.event].op;
    return again.contains(op) || at_once.contains(op);
  });
  out.insert(out.end(), ahead.begin(), ahead.end());
  return out;
}

Finding* Tell(const Log& log, const Repeat& repeat, Findings& findings) {
  const Event& e = log.events[repeat.event];
  const BarrierUse& use = *WaitOf(e);
  const std::string barrier = BarrierOf(log, use.barrier);
  const bool fresh = repeat.before < 0;
  Finding* found =
      findings.Add("parity/stale", ir::Cat(e.op, repeat.ahead ? " ahead"
                                                 : fresh      ? " fresh"
                                                              : " again"));
  if (found == nullptr) return nullptr;
  ir::Diagnostic& d = found->diagnostic;
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
  if (repeat.ahead) {
    d.message =
        ir::Cat(barrier, ": this waits for phase ", use.phase,
                ", but its threads have not waited for phase ", use.phase - 1,
                ": its parity is not that of the next phase");
    d.help =
        "the n-th wait for a barrier has parity n & 1; in a ring of N barriers "
        "a counter i of uses gives `(i / N) & 1`";
    return found;
  }
  if (fresh) {
    d.message = ir::Cat(barrier,
                        ": this wait passes before anything has arrived: of a "
                        "fresh barrier the phase before the first counts as "
                        "complete, and parity 1 names that one");
    d.help = "parity 0 waits for the first phase";
    return found;
  }
  const std::string phase = use.phase < 0
                                ? "on the barrier as it was when fresh"
                                : ir::Cat("on phase ", use.phase);
  d.message = ir::Cat(barrier, ": this wait passes again ", phase,
                      ", which its threads have seen: its parity is not that "
                      "of the next phase");
  const Event& before = log.events[repeat.before];
  d.labels.push_back({SpanOf(before), ir::Cat(WhoOf(log, before), ": passed ",
                                              phase, " here", NthOf(before))});
  d.help =
      "a parity goes on as long as its barrier lives: let a counter that does "
      "not start anew decide it";
  return found;
}

Finding* Tell(const Log& log, const OtherPhase& other, Findings& findings) {
  const Event &peek = log.events[other.peek], &wait = log.events[other.wait];
  if (peek.uses.empty() || WaitOf(wait) == nullptr) return nullptr;
  const BarrierUse &asked = peek.uses[0], &waited = *WaitOf(wait);
  Finding* found = findings.Add("parity/stale", ir::Cat(peek.op, " peek"));
  if (found == nullptr) return nullptr;
  ir::Diagnostic& d = found->diagnostic;
  d.span = SpanOf(peek);
  d.span_text = ir::Cat(WhoOf(log, peek), NthOf(peek));
  const bool same = asked.barrier == waited.barrier;
  d.message =
      ir::Cat(BarrierOf(log, asked.barrier), ": this asks for phase ",
              asked.phase, ", but the wait that a yes passes over is for ",
              same ? std::string() : BarrierOf(log, waited.barrier) + ", ",
              "phase ", waited.phase);
  d.labels.push_back(
      {SpanOf(wait), ir::Cat(WhoOf(log, wait), ": waits here", NthOf(wait))});
  d.help = "ask for the barrier and the parity that the wait names";
  return found;
}

}  // namespace tilesim::checkers::order
