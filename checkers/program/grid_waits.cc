#include "checkers/program/grid_waits.h"

#include <algorithm>

#include "checkers/program/grid_order.h"

namespace tilesim::checkers::program {
using order::Agents;
using order::Mark;
using order::Order;
using run::Event;
using run::Log;

namespace {

void Step(Order& order, const Event& e) {
  order.Begin(e);
  order.Finish(e);
}

}  // namespace

GridWaits::GridWaits(const Log& log, const Agents& agents,
                     std::optional<Order::Kind> order)
    : here_(log, agents, Order::Kind::kMemory) {
  if (order) always_.emplace(log, agents, *order);
}

void GridWaits::Pass(const Event& e) {
  Step(here_, e);
  if (always_) Step(*always_, e);
  if (!Does(e, ir::EffectKind::kGridWait)) return;
  for (int32_t agent : here_.agents().Of(e)) {
    if (!Own(agent)) waits_.push_back(here_.mark(agent));
  }
}

Waited GridWaits::Of(const Agents::List& who) const {
  Waited least = Waited::kYes;
  for (int32_t agent : who) least = std::min(least, Of(agent));
  return least;
}

Waited GridWaits::Of(int32_t agent) const {
  if (Own(agent) || (always_ && Known(*always_, agent))) return Waited::kYes;
  return Known(here_, agent) ? Waited::kPerhaps : Waited::kNo;
}

bool GridWaits::Own(int32_t agent) const {
  return std::any_of(waits_.begin(), waits_.end(),
                     [=](Mark w) { return w.agent == agent; });
}

bool GridWaits::Known(const Order& order, int32_t agent) const {
  return std::any_of(waits_.begin(), waits_.end(),
                     [&](Mark w) { return order.clock(agent).Knows(w); });
}

}  // namespace tilesim::checkers::program
