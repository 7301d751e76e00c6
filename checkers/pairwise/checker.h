// A checker: what it can report, and what it does while a run is replayed. It
// sees effects and order, never which op it is. One file pair each, listed in
// all_checkers.cc.
#ifndef TILESIM_CHECKERS_PAIRWISE_CHECKER_H_
#define TILESIM_CHECKERS_PAIRWISE_CHECKER_H_

#include <memory>
#include <span>

#include "checkers/order/access.h"
#include "checkers/order/late_order.h"
#include "checkers/order/order.h"
#include "checkers/report/findings.h"
#include "ir/code.h"

namespace tilesim::checkers::pairwise {

// What a checker may look at and add to.
struct Context {
  const run::Log& log;
  const order::Order& order;    // kMemory; has just finished the event
  order::LateOrder& enforced;   // kEnforced, where a question needs it
  order::LateOrder& any_scope;  // kAnyScope, likewise
  order::LateOrder& any_sem;    // kAnySem, likewise
  order::LateOrder& synced;     // kSynced, likewise
  order::LateOrder& grouped;    // kGrouped, likewise
  footprint::Footprints& footprints;
  report::Findings& findings;
};

// Two accesses to overlapping bytes, at least one a write.
struct Conflict {
  const order::Access& earlier;
  const order::Access& later;
  const footprint::Place& place;
  bool ordered;
  // If ordered: and whether what changes proxy is fenced.
  order::ProxyOrder proxy = order::ProxyOrder::kFenced;
  // Tensor memory has rules of its own instead of the two.
  order::TensorOrder tensor = order::TensorOrder::kOrdered;
  // Not ordered: it is so between lanes of one warp only.
  bool lanes = false;

  const run::Event& earlier_event(const run::Log& log) const {
    return log.events[earlier.event];
  }
  const run::Event& later_event(const run::Log& log) const {
    return log.events[later.event];
  }
};

class Checker {
 public:
  virtual ~Checker() = default;
  // What it can report.
  virtual std::span<const ir::Code> codes() const = 0;
  // Before the event: `order` knows what comes before it, and not yet what a
  // wait acquires.
  virtual void OnReached(const Context&, int32_t /*event*/) {}
  virtual void OnEvent(const Context&, int32_t /*event*/) {}
  // The event is that an op is executed.
  virtual void OnOp(const Context&, int32_t /*event*/) {}
  // To memory, by the event that was just given to these.
  virtual void OnAccesses(const Context&, const order::Accesses&) {}
  virtual void OnConflict(const Context&, const Conflict&) {}
  virtual void OnEnd(const Context&) {}
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_CHECKER_H_
