#include "checkers/pairwise/check_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "checkers/pairwise/all_checkers.h"
#include "checkers/pairwise/conflicts.h"

namespace tilesim::checkers::pairwise {
using footprint::Footprints;
using footprint::Fragments;
using order::Accesses;
using order::AccessesOf;
using order::Agents;
using order::LateOrder;
using order::Order;
using report::Findings;
using run::Event;
using run::Log;

void CheckRun(const Log& log, Fragments& fragments, Findings& findings) {
  Agents agents(log);
  Order order(log, agents, Order::Kind::kMemory);
  LateOrder enforced(log, agents, Order::Kind::kEnforced);
  LateOrder any_scope(log, agents, Order::Kind::kAnyScope);
  LateOrder any_sem(log, agents, Order::Kind::kAnySem);
  LateOrder synced(log, agents, Order::Kind::kSynced);
  LateOrder grouped(log, agents, Order::Kind::kGrouped);
  LateOrder tensor(log, agents, Order::Kind::kTensor);
  Footprints footprints(*log.code, fragments);
  Conflicts conflicts(log, tensor, footprints);
  std::vector<std::unique_ptr<Checker>> all = AllCheckers();
  Context context{log,    order,   enforced,   any_scope, any_sem,
                  synced, grouped, footprints, findings};
  for (size_t i = 0; i < log.events.size(); ++i) {
    auto event = static_cast<int32_t>(i);
    order.Begin(log.events[i]);
    for (auto& checker : all) checker->OnReached(context, event);
    order.Finish(log.events[i]);
    for (auto& checker : all) checker->OnEvent(context, event);
    if (log.events[i].kind != Event::Kind::kOp) continue;
    for (auto& checker : all) checker->OnOp(context, event);
    Accesses accesses = AccessesOf(order, event, footprints);
    if (accesses.empty()) continue;
    for (auto& checker : all) checker->OnAccesses(context, accesses);
    conflicts.Add(order, std::move(accesses), [&](const Conflict& c) {
      for (auto& checker : all) checker->OnConflict(context, c);
    });
  }
  for (auto& checker : all) checker->OnEnd(context);
}

}  // namespace tilesim::checkers::pairwise
