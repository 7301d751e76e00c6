// A checker: what it can report, and what it does while a run is replayed. It
// sees effects and order, never which op it is. One file pair each, listed in
// all_checkers.cc.
#ifndef TILESIM_CHECKERS_CHECKS_CHECKER_H_
#define TILESIM_CHECKERS_CHECKS_CHECKER_H_

#include <memory>
#include <span>
#include <string_view>

#include "checkers/checks/access.h"
#include "checkers/checks/findings.h"
#include "checkers/order/late_order.h"
#include "checkers/order/order.h"

namespace tilesim::checkers {

struct Descriptor {
  std::span<const std::string_view> codes;
  std::string_view summary;
  bool default_on = true;
};

// What a checker may look at and add to.
struct Context {
  const Log& log;
  const Order& order;   // kMemory; has just finished the event
  LateOrder& enforced;  // kEnforced, where a question needs it
  Footprints& footprints;
  Findings& findings;
};

// Two accesses to overlapping bytes, at least one a write.
struct Conflict {
  const Access& earlier;
  const Access& later;
  ir::Space space;
  bool ordered;
  bool fenced;  // only meaningful when ordered
  // Tensor memory has rules of its own instead of the two.
  TensorOrder tensor = TensorOrder::kOrdered;

  const Event& earlier_event(const Log& log) const {
    return log.events[earlier.event];
  }
  const Event& later_event(const Log& log) const {
    return log.events[later.event];
  }
};

class Checker {
 public:
  virtual ~Checker() = default;
  virtual const Descriptor& descriptor() const = 0;
  virtual void OnEvent(const Context&, int32_t /*event*/) {}
  // The event is that an op is executed.
  virtual void OnOp(const Context&, int32_t /*event*/) {}
  // To memory, by the event that was just given to these.
  virtual void OnAccesses(const Context&, const Accesses&) {}
  virtual void OnConflict(const Context&, const Conflict&) {}
  virtual void OnEnd(const Context&) {}
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_CHECKER_H_
