#include "checkers/program/late_allocation.h"

#include <algorithm>
#include <vector>

#include "checkers/program/grid_waits.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using order::Agents;
using order::Mark;
using order::Order;
using run::Event;
using run::Log;

namespace {

using ir::EffectKind;

bool Allocates(const Log& log) {
  return std::any_of(log.events.begin(), log.events.end(), [](const Event& e) {
    return Does(e, EffectKind::kTmemAlloc);
  });
}

// Allocations of a CTA, and how many of them have been come to.
struct Allocations {
  int64_t all = 0;
  std::vector<Mark> passed;
};

// Whether some CTA may allocate when it has triggered. `every_schedule`: the
// log stands for all.
bool AllocatesWhenTriggered(const Log& log, bool every_schedule) {
  if (!Allocates(log)) return false;
  std::vector<Allocations> of(log.ctas);
  for (const Event& e : log.events)
    of[e.cta].all += Does(e, EffectKind::kTmemAlloc);
  Agents agents(log);
  Order order(log, agents, Order::Kind::kEnforced);
  for (const Event& e : log.events) {
    order.Begin(e);
    order.Finish(e);
    Allocations& own = of[e.cta];
    if (Does(e, EffectKind::kTmemAlloc))
      own.passed.push_back(order.mark(agents.Of(e).front()));
    if (!Does(e, EffectKind::kGridTrigger) || own.all == 0) continue;
    bool before = std::ssize(own.passed) == own.all && every_schedule;
    for (int32_t agent : agents.Of(e)) {
      for (Mark m : own.passed) before &= order.clock(agent).Knows(m);
    }
    if (!before) return true;
  }
  return false;
}

// Whether some thread may allocate before its kernel has waited; `order` as in
// grid_waits.h.
bool AllocatesBeforeWait(const Log& log, std::optional<Order::Kind> order) {
  if (!Allocates(log)) return false;
  Agents agents(log);
  GridWaits waits(log, agents, order);
  for (const Event& e : log.events) {
    waits.Pass(e);
    if (Does(e, EffectKind::kTmemAlloc) &&
        waits.Of(agents.Of(e)) != Waited::kYes)
      return true;
  }
  return false;
}

}  // namespace

LateAllocation::LateAllocation(const ir::Program& program)
    : program_(program), order_(program), kernels_(program.kernels.size()) {}

void LateAllocation::OnCluster(const ClusterRun& run, Conclusions) {
  if (!order_.MayOverlap()) return;
  Kernel& kernel = kernels_[run.of.kernel];
  for (const auto& [log, order] : run.runs) {
    order_.Add(run.of.kernel, *log);
    kernel.allocates_when_triggered |=
        AllocatesWhenTriggered(*log, order == Order::Kind::kNoFlags);
    kernel.allocates_before_wait |= AllocatesBeforeWait(*log, order);
  }
}

void LateAllocation::OnProgramEnd(Conclusions out) {
  auto name = [&](size_t kernel) {
    return ir::Cat("`", program_.kernels[kernel].name, "`");
  };
  for (size_t j = 1; j < kernels_.size(); ++j) {
    if (!kernels_[j].allocates_before_wait || !order_.EverWaits(j)) continue;
    for (size_t i = 0; i < j; ++i) {
      if (order_.OverAtStart(i, j) || !kernels_[i].allocates_when_triggered)
        continue;
      out.open.Add(ir::Cat("tensor memory that kernel ", name(i),
                           " allocates after launch_dependents may be held "
                           "by kernel ",
                           name(j), ", which waits for it to end"));
    }
  }
}

}  // namespace tilesim::checkers::program
