#include "checkers/order/lifetimes.h"

#include <algorithm>

#include "checkers/order/late_order.h"
#include "checkers/report/names.h"
#include "ir/cat.h"
#include "sim/machine/targets.h"

namespace tilesim::checkers::order {
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::SpanOf;
using report::WhoOf;
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

// Whether CTAs of a cluster have copies of what it accesses.
bool InCtas(const Event& e, const ir::Effect& f) {
  if (!f.Is(ir::kAccesses) || !e.concrete().is_tile(f.operand)) return false;
  ir::Space space = e.concrete().tile(f.operand).space;
  return space != ir::Space::kGlobal && space != ir::Space::kReg;
}

}  // namespace

bool HasStarted(const Order& order, const Clock& clock, int32_t cta) {
  for (int32_t i = 0; i < order.agents().size(); ++i) {
    if (order.agents()[i].cta == cta && clock.Knows({i, 1})) return true;
  }
  return false;
}

void ForEachReach(const Log& log, int32_t event,
                  const std::function<void(const Reach&)>& each) {
  const Event& e = log.events[event];
  const auto size = static_cast<int>(log.code->bound.cluster_size());
  if (size == 1 || e.kind == Event::Kind::kBlocked) return;
  const auto reach = [&](const Reach& there) {
    if (there.target != e.cta) each(there);
  };
  for (size_t i = 0; i < e.uses.size(); ++i)
    reach({.event = event,
           .target = e.uses[i].barrier.cta,
           .operation = e.operation,
           .use = static_cast<int8_t>(i)});
  if (e.kind != Event::Kind::kOp) return;
  for (const ir::Effect& f : e.effects()) {
    if (!InCtas(e, f)) continue;
    const bool later = f.at != ir::Milestone::kIssue;
    for (size_t i = 0; i < (later ? e.issued.size() : 1); ++i) {
      const int32_t id = later ? e.issued[i] : -1;
      const int32_t only =
          id < 0 ? machine::kAnyRank : log.operations[id].destination;
      for (int rank : machine::RanksMeant(f, e.concrete(), size, only))
        reach({.event = event,
               .target = e.cluster + rank,
               .operation = id,
               .strong =
                   later || f.sem == ir::Sem::kWeak ? int8_t{-1} : f.operand});
    }
  }
}

Ends::Ends(const Order& order) : order_(order) {
  for (int32_t i = 0; i < order.agents().size(); ++i)
    finals_.push_back(order.Final(i));
}

bool Ends::Outlives(const Reach& reach) const {
  for (int32_t i = 0; i < order_.agents().size(); ++i) {
    if (order_.agents()[i].cta != reach.target) continue;
    const bool knows = reach.operation >= 0
                           ? finals_[i].Knows(reach.operation, Reached::kDone)
                           : finals_[i].Knows(reach.mark);
    if (knows) return true;
  }
  return false;
}

bool Ends::HasRead(const Reach& reach) const {
  if (reach.strong < 0) return false;
  const Event& e = order_.log().events[reach.event];
  for (int32_t i = 0; i < order_.agents().size(); ++i) {
    if (order_.agents()[i].cta == reach.target &&
        order_.Observed(e, reach.strong, reach.mark,
                        {i, order_.mark(i).seq + 1}))
      return true;
  }
  return false;
}

std::optional<Ends::ThreadAndTarget> Ends::CommitOf(const Reach& reach) const {
  const Log& log = order_.log();
  if (reach.operation < 0 || log.code->guide == nullptr) return std::nullopt;
  const run::Operation& o = log.operations[reach.operation];
  if (!o.is_track || o.tracks == ir::GroupKind::kCpAsync || o.issue < 0)
    return std::nullopt;
  return ThreadAndTarget{order_.agents().Of(log.events[o.issue])[0],
                         reach.target};
}

std::string_view Ends::EndsWhen(const Reach& reach,
                                const std::vector<Reach>& all) const {
  constexpr std::string_view kEnds = "may have ended when";
  const auto commit = CommitOf(reach);
  if (!commit) return kEnds;
  const auto issue = [&](const Reach& r) {
    return order_.log().operations[r.operation].issue;
  };
  if (!last_seen_) {
    last_seen_.emplace();
    for (const Reach& r : all) {
      const auto by = CommitOf(r);
      if (!by || !Outlives(r)) continue;
      int32_t& last = last_seen_->try_emplace(*by, issue(r)).first->second;
      last = std::max(last, issue(r));
    }
  }
  const auto last = last_seen_->find(*commit);
  return last != last_seen_->end() && last->second > issue(reach)
             ? "has seen the signal of a later commit, and may have ended when"
             : kEnds;
}

void ReportLifetime(const Log& log, const Reach& reach, std::string_view what,
                    report::Findings& findings) {
  const Event& e = log.events[reach.event];
  Finding* found = findings.Add("cluster/lifetime", ir::Cat(e.op, " ", what));
  if (found == nullptr) return;
  found->every_schedule = false;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("CTA ", reach.target, " ", what, " ", MnemonicOf(e),
                      " of CTA ", e.cta, " reaches into it");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
  d.help = ir::Cat(
      "let CTA ", reach.target,
      " wait for what this signals before it ends, or let all end behind a "
      "cluster barrier (barrier.cluster.arrive and wait)");
}

void Lifetimes::After(int32_t event) {
  ForEachReach(order_.log(), event, [&](const Reach& reach) { Add(reach); });
}

void Lifetimes::Add(Reach reach) {
  const int32_t agent = order_.agents().Of(order_.log().events[reach.event])[0];
  reach.mark = order_.mark(agent);
  const Clock& clock = reach.operation >= 0 ? order_.start(reach.operation)
                                            : order_.clock(agent);
  if (!HasStarted(order_, clock, reach.target))
    ReportLifetime(order_.log(), reach, "may not have started when", findings_);
  all_.push_back(reach);
}

// What a CTA learns by a word that it polls depends on the run: whether it ends
// before is judged in each (pairwise/lifetime.h).
void Lifetimes::End() {
  const Ends ends(order_);
  const std::vector<Reach> all = all_;
  std::erase_if(all_, [&](const Reach& r) { return ends.Outlives(r); });
  if (all_.empty()) return;
  LateOrder with_words(order_.log(), order_.agents(), Order::Kind::kAnySem);
  const Ends told(with_words.AtEnd());
  for (const Reach& reach : all_) {
    if (!told.Outlives(reach))
      ReportLifetime(order_.log(), reach, ends.EndsWhen(reach, all), findings_);
  }
}

}  // namespace tilesim::checkers::order
