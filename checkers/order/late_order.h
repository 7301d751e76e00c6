// An order for questions that are seldom asked: it is replayed only as far as
// somebody wants to know.
//
//   LateOrder enforced(log, agents, Order::Kind::kEnforced);
//   enforced.At(event).clock(agent)   // events in the order of the log
#ifndef TILESIM_CHECKERS_ORDER_LATE_ORDER_H_
#define TILESIM_CHECKERS_ORDER_LATE_ORDER_H_

#include <cstdint>
#include <optional>

#include "checkers/order/order.h"

namespace tilesim::checkers::order {

class LateOrder {
 public:
  LateOrder(const run::Log& log, const Agents& agents, Order::Kind kind)
      : log_(log), agents_(agents), kind_(kind) {}

  // It has just finished this event, which is not before the one that was
  // asked for last.
  const Order& At(int32_t event) {
    if (!order_) order_.emplace(log_, agents_, kind_);
    for (; next_ <= event; ++next_) {
      order_->Begin(log_.events[next_]);
      order_->Finish(log_.events[next_]);
    }
    return *order_;
  }
  // It has finished all of the run.
  const Order& AtEnd() {
    return At(static_cast<int32_t>(log_.events.size()) - 1);
  }

 private:
  const run::Log& log_;
  const Agents& agents_;
  Order::Kind kind_;
  std::optional<Order> order_;
  int32_t next_ = 0;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_LATE_ORDER_H_
