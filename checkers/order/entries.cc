#include "checkers/order/entries.h"

#include <algorithm>

namespace tilesim::checkers::order {
using run::Event;

Clocks ClocksOf(const Order& order, const Event& e) {
  // A milestone has no thread: what it knows is what came before its operation.
  if (e.operation >= 0) return {&order.start(e.operation)};
  Clocks out;
  for (int32_t agent : order.agents().Of(e)) out.push_back(&order.clock(agent));
  return out;
}

void Entries::Add(const Order& order, int32_t event) {
  const Event& e = order.log().events[event];
  if (e.operation >= 0) {
    entries_.push_back({event, e.operation, {}});
    return;
  }
  for (int32_t agent : order.agents().Of(e))
    entries_.push_back({event, -1, order.mark(agent)});
}

bool Entries::Knows(const Clock& clock, const Entry& e) {
  return e.operation >= 0 ? clock.Knows(e.operation, Reached::kDone)
                          : clock.Knows(e.mark);
}

int32_t Entries::UnknownTo(const Clock& clock) const {
  for (const Entry& e : entries_) {
    if (!Knows(clock, e)) return e.event;
  }
  return -1;
}

bool Entries::EachKnowsOne(const Clocks& clocks) const {
  return std::all_of(clocks.begin(), clocks.end(), [&](const Clock* c) {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& e) { return Knows(*c, e); });
  });
}

int32_t Entries::UnknownTo(const Clocks& clocks) const {
  // Each thread must know all entries: one that does not may run too soon.
  for (const Clock* c : clocks) {
    int32_t event = UnknownTo(*c);
    if (event >= 0) return event;
  }
  return -1;
}

}  // namespace tilesim::checkers::order
