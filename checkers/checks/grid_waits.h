// Who comes after a griddepcontrol.wait of the own kernel, in one run.
#ifndef TILESIM_CHECKERS_CHECKS_GRID_WAITS_H_
#define TILESIM_CHECKERS_CHECKS_GRID_WAITS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/order/order.h"

namespace tilesim::checkers {

// By a wait of the thread itself, or of one that it comes after. kPerhaps: in
// this schedule.
enum class Waited : uint8_t { kNo, kPerhaps, kYes };

class GridWaits {
 public:
  // `order`: the order that all schedules have which have the accesses of the
  // log; absent: no more than program order.
  GridWaits(const Log& log, const Agents& agents,
            std::optional<Order::Kind> order);

  // Event after event of the log.
  void Pass(const Event& e);
  // All of these threads, as they have passed the last event.
  Waited Of(const Agents::List& who) const;

 private:
  Waited Of(int32_t agent) const;
  bool Own(int32_t agent) const;
  bool Known(const Order& order, int32_t agent) const;

  Order here_;
  std::optional<Order> always_;
  std::vector<Mark> waits_;  // the first of each agent
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_GRID_WAITS_H_
