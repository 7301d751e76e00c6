#include "checkers/order/phases.h"

#include <algorithm>
#include <string>

#include "checkers/report/names.h"
#include "checkers/run/peeks.h"
#include "ir/cat.h"

namespace tilesim::checkers::order {
using proof::Condition;
using proof::IsJudged;
using report::BarrierOf;
using report::BarriersOf;
using report::Finding;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::BarrierLife;
using run::BarrierUse;
using run::Event;

namespace {

using ir::EffectKind;

// The arrival that undoes a pending increment counts for nothing.
bool Undoes(const Event& e) {
  return e.operation >= 0 &&
         std::any_of(e.effects().begin(), e.effects().end(),
                     [](const ir::Effect& f) {
                       return f.kind == EffectKind::kPendingIncrement;
                     });
}
bool IsLifeEvent(const BarrierUse& use) {
  return use.kind == EffectKind::kInit || use.kind == EffectKind::kInval;
}

}  // namespace

void Phases::Before(int32_t event) {
  for (const BarrierUse& use : log_.events[event].uses) {
    if (use.Is(ir::kAsks)) Wait(use, event);
  }
}

// Conditions 0 and 2: what a wait must know when it is reached.
// docs/certificate.md 3.2 (a); that it is not too late is judged by what comes
// after it (Contribute, Complete).
void Phases::Wait(const BarrierUse& use, int32_t event) {
  const Event& e = log_.events[event];
  Clocks clocks = ClocksOf(order_, e);
  UsedAfterInit(use, event, clocks);
  auto before = phases_.find({use.barrier, use.phase - 1});
  if (before == phases_.end()) return;
  int32_t unknown = before->second.contributions.UnknownTo(clocks);
  if (unknown < 0) return;
  if (e.kind == Event::Kind::kBlocked) {
    // The deadlock is told, but not in every schedule.
    holds_ &= !IsJudged(Condition::kWaits);
    return;
  }
  ir::Diagnostic* d = Fail(Condition::kWaits, "parity/stale", event,
                           use.barrier, unknown, "may not have counted yet");
  if (d == nullptr) return;
  d->message =
      ir::Cat(BarrierOf(log_, use.barrier), ": this wait is for phase ",
              use.phase, " but can pass while phase ", use.phase - 1,
              " is still open: its parity was that of phase ", use.phase - 2);
  d->help = "the thread that waits must have observed the phase before";
}

void Phases::After(int32_t event) {
  const Event& e = log_.events[event];
  if (log_.assumed) ObserveAssumed(e);
  for (const BarrierUse& use : e.uses) {
    if (e.kind == Event::Kind::kBlocked) continue;
    if (IsLifeEvent(use)) {
      InitOrInval(use, event);
    } else if (run::IsPeek(use)) {
      NoteUse(use, event);
    } else if (use.Is(ir::kAsks)) {
      for (int32_t agent : order_.agents().Of(e))
        phase(use, use.phase + 1).waits.push_back({event, order_.mark(agent)});
      phase(use, use.phase).observed = true;
      phase(use, use.phase).seen.Add(order_, event);
      NoteUse(use, event);
    } else {
      Contribute(use, event);
    }
  }
  for (const BarrierUse& use : e.uses) {
    if (use.completes && !use.Is(ir::kAsks)) Complete(use, event);
  }
}

void Phases::ObserveAssumed(const Event& e) {
  if (e.op == log_.assumed->from) {
    for (const BarrierUse& use : e.uses) {
      if (use.Is(ir::kContributes))
        assumed_.emplace_back(use.barrier, use.phase);
    }
  }
  if (e.op != log_.assumed->to || e.kind != Event::Kind::kOp) return;
  for (const auto& key : assumed_) {
    phases_[key].observed = true;
    phases_[key].assumed = true;
  }
  assumed_.clear();
}

// Condition 1 (docs/certificate.md 3.1), and what this contribution does for
// conditions 2 and 3: waits and expectations that it knows are in time.
void Phases::Contribute(const BarrierUse& use, int32_t event) {
  const Event& e = log_.events[event];
  Clocks clocks = ClocksOf(order_, e);
  UsedAfterInit(use, event, clocks);
  auto before = phases_.find({use.barrier, use.phase - 1});
  if (before != phases_.end()) {
    int32_t unknown = before->second.contributions.UnknownTo(clocks);
    ir::Diagnostic* d =
        unknown < 0 ? nullptr
                    : Fail(Condition::kContributions, "parity/early", event,
                           use.barrier, unknown,
                           "belongs to the phase before and may come later");
    if (d != nullptr) {
      d->message = ir::Cat(BarrierOf(log_, use.barrier), ": this counts in ",
                           "phase ", use.phase, " here, but can come while ",
                           "phase ", use.phase - 1, " is still open");
      d->help = "wait for the phase before on the way here";
    }
  }
  if (use.Is(ir::kArrives) && before != phases_.end())
    CheckSeen(use, event, before->second, clocks);
  Phase& p = phase(use, use.phase);
  if (use.kind == EffectKind::kExpectTx) p.bytes += use.value;
  if (use.kind == EffectKind::kCompleteTx) p.bytes -= use.value;
  auto known = [&](const Pending& w) {
    return std::any_of(clocks.begin(), clocks.end(),
                       [&](const Clock* c) { return c->Knows(w.mark); });
  };
  std::erase_if(p.waits, known);
  if (use.Is(ir::kArrives)) {
    if (!Undoes(e)) std::erase_if(p.expects, known);
    p.arrivals += use.value;
  } else if (use.kind != EffectKind::kCompleteTx && e.operation < 0) {
    for (int32_t agent : order_.agents().Of(e))
      p.expects.push_back({event, order_.mark(agent)});
    if (use.kind == EffectKind::kPendingIncrement) p.arrivals -= use.value;
  }
  if (use.kind == EffectKind::kArriveDrop)
    lives_[use.barrier].count -= use.value;
  p.contributions.Add(order_, event);
  NoteUse(use, event);
}

// Condition 2 (docs/certificate.md 3.2 (b)): every wait for the phase before
// was in time for this one. One that no contribution of this phase knows may
// come when the phase is over, and then waits for a parity that is gone.
void Phases::Complete(const BarrierUse& use, int32_t event) {
  Phase& p = phase(use, use.phase);
  if (p.complete) return;
  p.complete = true;
  CheckConsumed(use, event);
  CheckExpects(p, use.barrier);
  for (const Pending& w : p.waits) {
    const Event& e = log_.events[w.event];
    ir::Diagnostic* d = Fail(Condition::kWaits, "parity/lapped", w.event,
                             use.barrier, p.contributions.first_event(),
                             "completes the next phase without it");
    if (d == nullptr) continue;
    std::string who = WhoOf(log_, e);
    if (e.threads().warps > 1)
      who = ir::Cat("warp ", order_.agents()[w.mark.agent].warp, " of ", who);
    d->message =
        ir::Cat(BarrierOf(log_, use.barrier), ": phase ", use.phase,
                " can be complete before ", who, " has seen phase ",
                use.phase - 1, ": it then waits for a parity that is gone");
    d->help =
        "let only threads wait that the next phase depends on, or let "
        "those that wait arrive";
  }
  p.waits.clear();
}

// PTX 9.7.13.15: some wait sees every phase before the next one is over. No
// condition of the certificate, but a rule of mbarriers.
void Phases::CheckConsumed(const BarrierUse& use, int32_t event) {
  auto before = phases_.find({use.barrier, use.phase - 1});
  if (before == phases_.end() || before->second.observed ||
      !before->second.complete)
    return;
  ir::Diagnostic* d =
      Report("parity/unconsumed", event, use.barrier,
             before->second.contributions.first_event(), "the phase before");
  phase(use, use.phase).unseen_arrival = -1;
  if (d == nullptr) return;
  d->message = ir::Cat(BarrierOf(log_, use.barrier), ": phase ", use.phase,
                       " completes here, but nobody has waited for phase ",
                       use.phase - 1);
  d->help = "wait for every phase but the last, or do not arrive";
}

// PTX 9.7.13.15.4: an arrival counts in a phase only after some wait has seen
// the phase before complete. That holds in every order iff the arrival knows
// such a wait. A phase that completes unseen is told there (CheckConsumed).
void Phases::CheckSeen(const BarrierUse& use, int32_t event, Phase& before,
                       const Clocks& clocks) {
  if (!before.complete || before.assumed || before.seen.EachKnowsOne(clocks))
    return;
  Phase& p = phase(use, use.phase);
  if (p.unseen_arrival < 0) p.unseen_arrival = event;
}

void Phases::TellUnseen(const BarrierLife& barrier, int64_t number,
                        int32_t event) {
  // Where phases may be taken for others, what nobody has seen follows. Who
  // knows such a wait knows the contributions too: judged with these.
  if (failed_.contains(barrier) || !IsJudged(Condition::kContributions)) return;
  Finding* found = Add("parity/unconsumed", event, barrier, -1, "");
  if (found == nullptr) return;
  found->every_schedule = phases_[{barrier, number - 1}].seen.empty();
  found->concluded = !found->every_schedule;
  ir::Diagnostic& d = found->diagnostic;
  d.message =
      ir::Cat(BarrierOf(log_, barrier), ": this counts in phase ", number,
              ", but no wait for phase ", number - 1, " comes before it");
  d.help = ir::Cat("wait for phase ", number - 1,
                   " before anything arrives in the next phase, or do not "
                   "arrive");
}

// Condition 3 (docs/certificate.md 3.3). An expectation that no arrival of the
// phase comes after may come when all have: the phase is then over, and the
// bytes are expected of the next one.
void Phases::CheckExpects(const Phase& p, const BarrierLife& barrier) {
  for (const Pending& x : p.expects) {
    ir::Diagnostic* d = Fail(Condition::kExpectations, "tx-count/before-arm",
                             x.event, barrier, -1, "");
    if (d == nullptr) continue;
    d->message = ir::Cat(BarrierOf(log_, barrier),
                         ": the phase can complete before it expects these "
                         "bytes: no arrival comes after this");
    d->help = "use mbarrier.arrive.expect_tx, or expect before arriving";
  }
}

// Condition 0 (docs/certificate.md 3.0): lives of a barrier do not overlap.
void Phases::InitOrInval(const BarrierUse& use, int32_t event) {
  Life& life = lives_[use.barrier];
  Clocks clocks = ClocksOf(order_, log_.events[event]);
  if (use.kind == EffectKind::kInval) {
    bool all = std::all_of(clocks.begin(), clocks.end(), [&](const Clock* c) {
      return c->Covers(life.uses);
    });
    if (!all) {
      ir::Diagnostic* d = Fail(Condition::kLives, "init/after-inval", event,
                               use.barrier, -1, "");
      if (d != nullptr)
        d->message = ir::Cat(BarrierOf(log_, use.barrier),
                             " may still be in use when it is invalidated");
    }
    life.invals.Add(order_, event);
    return;
  }
  if (life.first_use >= 0) InitAfterUse(use, event, life.first_use);
  life.count = use.value;
  life.inits.Add(order_, event);
  BarrierLife last = use.barrier;
  --last.life;
  auto found = lives_.find(last);
  if (found == lives_.end()) return;
  int32_t unknown = found->second.invals.UnknownTo(clocks);
  if (unknown < 0 && !found->second.invals.empty()) return;
  ir::Diagnostic* d = Fail(Condition::kLives, "init/twice", event, use.barrier,
                           unknown, "ends the life before, maybe later");
  if (d != nullptr)
    d->message = ir::Cat(BarrierOf(log_, use.barrier),
                         " may still be live when it is initialised again");
}

// It is the same life only because nobody has changed it yet.
void Phases::InitAfterUse(const BarrierUse& use, int32_t event, int32_t first) {
  ir::Diagnostic* d =
      Report("init/twice", event, use.barrier, first, "uses it before that");
  if (d == nullptr) return;
  d->message = ir::Cat(BarrierOf(log_, use.barrier),
                       " is initialised again while it is live");
  d->help = "mbarrier.inval it first";
}

// Condition 0 (docs/certificate.md 3.0), without the edge of a wait of its own:
// a wait may be reached before the init although it passes after it.
void Phases::UsedAfterInit(const BarrierUse& use, int32_t event,
                           const Clocks& clocks) {
  int32_t unknown = lives_[use.barrier].inits.UnknownTo(clocks);
  if (unknown < 0) return;
  ir::Diagnostic* d =
      Fail(Condition::kLives, "init/unpublished", event, use.barrier, unknown,
           "initialised here, maybe later");
  if (d == nullptr) return;
  d->message = ir::Cat(BarrierOf(log_, use.barrier),
                       " may be used before it is initialised");
  d->help = "fence.mbarrier_init, then a barrier between the two";
}

void Phases::NoteUse(const BarrierUse& use, int32_t event) {
  const Event& e = log_.events[event];
  Life& life = lives_[use.barrier];
  if (life.first_use < 0) life.first_use = event;
  Clock& uses = life.uses;
  if (e.operation >= 0) return uses.Add(e.operation, Reached::kDone);
  for (int32_t agent : order_.agents().Of(e)) uses.Add(order_.mark(agent));
}

// Conditions 3 and 4 of phases that are still open; arrivals too early.
void Phases::End() {
  for (const auto& [key, p] : phases_) {
    if (p.unseen_arrival >= 0)
      TellUnseen(key.first, key.second, p.unseen_arrival);
    // All arrivals, but bytes are missing.
    bool full = p.arrivals >= lives_[key.first].count;
    if (p.complete || !full) continue;
    CheckExpects(p, key.first);
    // Condition 4 (docs/certificate.md 3.4): bytes beyond those expected may
    // come in several steps, and the phase may end between two of them.
    if (p.bytes < 0) holds_ &= !IsJudged(Condition::kCounts);
  }
}

// What a wait does not know comes before it, as what belongs to a phase before;
// that a wait is passed comes before what completes the next phase.
run::Lack Phases::LackOf(ir::Code code, int32_t op, int32_t other) const {
  if (other < 0 || code == "parity/unconsumed" || code == "init/twice")
    return {};
  int32_t other_op = log_.events[other].op;
  if (code == "parity/lapped") return {op, other_op, false};
  return {other_op, op, false};
}

ir::Diagnostic* Phases::Fail(Condition condition, ir::Code code, int32_t event,
                             const BarrierLife& barrier, int32_t other,
                             std::string_view other_text) {
  if (!IsJudged(condition)) return nullptr;
  holds_ = false;
  failed_.insert(barrier);
  Finding* found = Add(code, event, barrier, other, other_text);
  if (found == nullptr) return nullptr;
  found->every_schedule = false;
  found->concluded = true;
  return &found->diagnostic;
}

ir::Diagnostic* Phases::Report(ir::Code code, int32_t event,
                               const BarrierLife& barrier, int32_t other,
                               std::string_view other_text) {
  Finding* found = Add(code, event, barrier, other, other_text);
  if (found == nullptr) return nullptr;
  found->every_schedule = true;
  found->concluded = false;
  return &found->diagnostic;
}

Finding* Phases::Add(ir::Code code, int32_t event, const BarrierLife& barrier,
                     int32_t other, std::string_view other_text) {
  const Event& e = log_.events[event];
  Finding* found =
      findings_.Add(code, ir::Cat(e.op, " ", BarriersOf(log_, barrier)));
  if (found == nullptr) return nullptr;
  ir::Diagnostic& d = found->diagnostic;
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log_, e), NthOf(e));
  found->lack = LackOf(code, e.op, other);
  if (other < 0) return found;
  const Event& o = log_.events[other];
  d.labels.push_back(
      {SpanOf(o), ir::Cat(WhoOf(log_, o), ": ", other_text, NthOf(o))});
  return found;
}

}  // namespace tilesim::checkers::order
