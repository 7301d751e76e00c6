#include "checkers/order/lifetimes.h"

#include <algorithm>

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

void Lifetimes::After(int32_t event) {
  const Event& e = order_.log().events[event];
  auto size = static_cast<int>(order_.log().code->bound.cluster_size());
  if (size == 1 || e.kind == Event::Kind::kBlocked) return;
  for (const BarrierUse& use : e.uses) Add(event, use.barrier.cta, e.operation);
  if (e.kind != Event::Kind::kOp) return;
  for (const ir::Effect& f : e.effects()) {
    if (!InCtas(e, f)) continue;
    bool later = f.at != ir::Milestone::kIssue;
    for (size_t i = 0; i < (later ? e.issued.size() : 1); ++i) {
      int32_t id = later ? e.issued[i] : -1;
      int32_t only =
          id < 0 ? machine::kAnyRank : order_.log().operations[id].destination;
      for (int rank : machine::RanksMeant(f, e.concrete(), size, only))
        Add(event, e.cluster + rank, id);
    }
  }
}

void Lifetimes::Add(int32_t event, int32_t target, int32_t operation) {
  const Event& e = order_.log().events[event];
  if (target == e.cta) return;
  int32_t agent = order_.agents().Of(e)[0];
  Access a{event, target, operation, order_.mark(agent)};
  const Clock& clock =
      operation >= 0 ? order_.start(operation) : order_.clock(agent);
  if (!HasStarted(order_, clock, target))
    Report(a, "may not have started when");
  accesses_.push_back(a);
}

bool Lifetimes::Outlives(const Access& a) const {
  for (int32_t i = 0; i < order_.agents().size(); ++i) {
    if (order_.agents()[i].cta != a.target) continue;
    bool knows = a.operation >= 0
                     ? finals_[i].Knows(a.operation, Reached::kDone)
                     : finals_[i].Knows(a.mark);
    if (knows) return true;
  }
  return false;
}

void Lifetimes::End() {
  if (accesses_.empty()) return;
  for (int32_t i = 0; i < order_.agents().size(); ++i)
    finals_.push_back(order_.Final(i));
  for (const Access& a : accesses_) {
    if (!Outlives(a)) Report(a, "may have ended when");
  }
}

void Lifetimes::Report(const Access& a, std::string_view what) {
  const Log& log = order_.log();
  const Event& e = log.events[a.event];
  Finding* found = findings_.Add("cluster/lifetime", ir::Cat(e.op, " ", what));
  if (found == nullptr) return;
  found->every_schedule = false;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("CTA ", a.target, " ", what, " ", MnemonicOf(e),
                      " of CTA ", e.cta, " reaches into it");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), NthOf(e));
  d.help = "a cluster barrier (arrive and wait) between the two";
}

}  // namespace tilesim::checkers::order
