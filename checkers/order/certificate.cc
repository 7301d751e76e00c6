#include "checkers/order/certificate.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "checkers/order/exits.h"
#include "checkers/order/lifetimes.h"
#include "checkers/order/pairs.h"
#include "checkers/order/peeked.h"
#include "checkers/order/phases.h"
#include "checkers/order/pools.h"
#include "checkers/proof/condition.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::order {
using proof::Condition;
using proof::IsJudged;
using report::Finding;
using report::Findings;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

using ir::EffectKind;

// Condition 5 (docs/certificate.md 3.5): the entries of a round of a hardware
// barrier come after all entries of the round before. Else one may take the
// place of another, and the round is over without who was meant.
class Rounds {
 public:
  Rounds(const Order& order, Findings& findings)
      : order_(order), findings_(findings) {}

  void After(int32_t event) {
    const Event& e = order_.log().events[event];
    if (e.kind != Event::Kind::kOp) return;
    for (const ir::Effect& effect : e.effects()) {
      if (effect.kind == EffectKind::kClusterArrive)
        Enter(e.cluster, kCluster, event);
      if (effect.Is(ir::kEntersNamed))
        Enter(e.cta, static_cast<int32_t>(effect.value), event);
    }
  }
  bool holds() const { return holds_; }

 private:
  static constexpr int32_t kCluster = -1;

  void Enter(int32_t cta, int32_t id, int32_t event) {
    const Log& log = order_.log();
    const Event& e = log.events[event];
    auto before = rounds_.find({cta, id, e.generation - 1});
    int32_t unknown = before == rounds_.end()
                          ? -1
                          : before->second.UnknownTo(ClocksOf(order_, e));
    rounds_[{cta, id, e.generation}].Add(order_, event);
    if (unknown < 0 || !IsJudged(Condition::kBarriers)) return;
    holds_ = false;
    Finding* found =
        findings_.Add("barrier/participants", ir::Cat(e.op, " ", id));
    if (found == nullptr) return;
    found->every_schedule = false;
    found->concluded = true;
    ir::Diagnostic& d = found->diagnostic;
    d.span = SpanOf(e);
    d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
    d.message = id == kCluster
                    ? std::string(
                          "this may enter the cluster barrier a round "
                          "too early")
                    : ir::Cat("this may enter barrier ", id,
                              " a round too early, in the place of another");
    const Event& o = log.events[unknown];
    d.labels.push_back({SpanOf(o), ir::Cat(WhoOf(log, o),
                                           ": meant for the round before, "
                                           "but may come later")});
    d.help = "let every thread that enters also wait, or use another barrier";
  }

  const Order& order_;
  Findings& findings_;
  std::map<std::tuple<int32_t, int32_t, int64_t>, Entries> rounds_;
  bool holds_ = true;
};

// The run once more; calls after(event) when `order` and `phases` have passed
// one.
template <typename F>
void Replay(const Log& log, Order& order, Phases& phases, F after) {
  for (size_t i = 0; i < log.events.size(); ++i) {
    auto event = static_cast<int32_t>(i);
    order.Begin(log.events[i]);
    phases.Before(event);
    order.Finish(log.events[i]);
    phases.After(event);
    after(event);
  }
}

bool InGroupsOfThreads(const Log& log) {
  return std::any_of(log.operations.begin(), log.operations.end(),
                     [](const run::Operation& o) {
                       return o.group == ir::GroupKind::kBulk ||
                              o.group == ir::GroupKind::kCpAsync;
                     });
}

// A thread waits for its own groups only: lanes apart.
void ExitsByLane(const Log& log, Findings& findings) {
  Agents agents(log);
  Order order(log, agents, Order::Kind::kEnforced);
  for (const Event& e : log.events) {
    order.Begin(e);
    order.Finish(e);
  }
  CheckExits(order, findings);
}

void CheckExits(const Order& by_warp, const Log& log, Findings& findings) {
  if (!log.finished) return;
  if (InGroupsOfThreads(log)) return ExitsByLane(log, findings);
  CheckExits(by_warp, findings);
}

// With a program order of its own for each lane, or for each warp.
Certificate CertifyBy(Agents::Unit unit, const Log& log, Findings& findings) {
  Certificate out;
  Agents agents(log, unit);
  Order order(log, agents, Order::Kind::kEnforced);
  Phases phases(order, findings);
  Rounds rounds(order, findings);
  Pools pools(order);
  Lifetimes lifetimes(order, findings);
  Pairs pairs(order, findings);
  Peeked peeked(log);
  Replay(log, order, phases, [&](int32_t event) {
    rounds.After(event);
    pools.After(event);
    lifetimes.After(event);
    pairs.After(event);
    peeked.After(event);
  });
  phases.End();
  if (log.finished) {
    lifetimes.End();
    pairs.End();
  }
  CheckExits(order, log, findings);
  const bool enough = !IsJudged(Condition::kPools) || pools.Hold();
  if (!enough)
    out.open.push_back(
        "whether registers or tensor memory run out depends on "
        "the order of requests");
  out.open.insert(out.open.end(), log.undetermined.begin(),
                  log.undetermined.end());
  bool holds = phases.holds() && rounds.holds() && enough;
  if (peeked.any() && !(holds && peeked.holds()))
    out.open.push_back("control depends on mbarrier.test_wait");
  out.determined = log.undetermined.empty() && (holds || !peeked.any());
  out.holds = holds && out.open.empty() && !log.faulted;
  return out;
}

bool HasParts(const Log& log) {
  return std::any_of(log.events.begin(), log.events.end(),
                     [](const Event& e) { return e.last_part >= 0; });
}

// A condition that holds of warps, and fails of lanes, or of parts of
// instructions.
bool TellIf(std::string_view parted, std::string_view help,
            const Findings& failed, Findings& findings) {
  for (const Finding& f : failed.all()) {
    const ir::Diagnostic& why = f.diagnostic;
    // Lives among lanes are judged pair by pair (pairwise/barrier_lanes.h).
    if (!f.concluded || why.code.family() == "init") continue;
    Finding* found = findings.Add("parity/lanes",
                                  ir::Cat(why.span.line, " ", why.code.name()));
    if (found == nullptr) continue;
    found->every_schedule = false;
    ir::Diagnostic& d = found->diagnostic;
    d = why;
    d.code = "parity/lanes";
    d.severity = ir::Severity::kWarning;
    d.message = ir::Cat("if lanes of a warp ", parted, ", ", why.code.name(),
                        ": ", why.message);
    d.help = std::string(help);
    return true;
  }
  return false;
}

void TellOfLanes(const Log& log, const Findings& by_lane, Findings& findings) {
  Findings by_part;
  if (HasParts(log) && !CertifyBy(Agents::Unit::kParts, log, by_part).holds &&
      TellIf("do not execute an instruction at once",
             "let what the next phase depends on come after what every lane "
             "does here",
             by_part, findings))
    return;
  TellIf("do not wait for each other at the end of a block",
         "bar.warp.sync between what the lanes do, or let one lane do it",
         by_lane, findings);
}

}  // namespace

// By lane there is less order than by warp, so what holds of lanes holds of
// warps, and what is not found is not found of warps (docs/certificate.md 5.2).
Certificate Certify(const Log& log, Findings& findings) {
  Findings by_lane;
  Certificate lanes = CertifyBy(Agents::Unit::kTwins, log, by_lane);
  lanes.of_lanes = lanes.holds;
  if (lanes.holds && by_lane.all().empty()) return lanes;
  Certificate warps = CertifyBy(Agents::Unit::kWarps, log, findings);
  warps.of_lanes = lanes.holds;
  if (warps.holds && !lanes.holds) TellOfLanes(log, by_lane, findings);
  return warps;
}

bool OfLives(const Finding& f) {
  return f.diagnostic.code == "init/unpublished" ||
         f.diagnostic.code == "init/after-inval";
}

void CheckInits(const Log& log, Findings& findings) {
  Agents agents(log, Agents::Unit::kWarps);
  Order order(log, agents, Order::Kind::kMemory);
  Findings all;
  Phases phases(order, all);
  Replay(log, order, phases, [](int32_t) {});
  findings.Merge(all, [](const Finding& f) { return OfLives(f); });
}

}  // namespace tilesim::checkers::order
