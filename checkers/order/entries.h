// Events that some later event must know: arrivals of a phase, entries of a
// round.
#ifndef TILESIM_CHECKERS_ORDER_ENTRIES_H_
#define TILESIM_CHECKERS_ORDER_ENTRIES_H_

#include <vector>

#include "absl/container/inlined_vector.h"
#include "checkers/order/order.h"

namespace tilesim::checkers::order {

// The clocks of an event's threads; of the operation, for a milestone.
using Clocks = absl::InlinedVector<const Clock*, 8>;
Clocks ClocksOf(const Order& order, const run::Event& e);

class Entries {
 public:
  // The event that `order` has just finished.
  void Add(const Order& order, int32_t event);
  // An event that `clock` does not know; -1: it knows all.
  int32_t UnknownTo(const Clock& clock) const;
  int32_t UnknownTo(const Clocks& clocks) const;
  // Whether each of `clocks` knows one of the events at least.
  bool EachKnowsOne(const Clocks& clocks) const;
  bool empty() const { return entries_.empty(); }
  int32_t first_event() const { return entries_.front().event; }

 private:
  struct Entry {
    int32_t event;
    int32_t operation;  // or -1, and
    Mark mark;
  };
  static bool Knows(const Clock& clock, const Entry& e);
  std::vector<Entry> entries_;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_ENTRIES_H_
