// Who comes after a griddepcontrol.wait of the own kernel, in one run.
#ifndef TILESIM_CHECKERS_PROGRAM_GRID_WAITS_H_
#define TILESIM_CHECKERS_PROGRAM_GRID_WAITS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/order/order.h"

namespace tilesim::checkers::program {

// By a wait of the thread itself, or of one that it comes after. kPerhaps: in
// this schedule.
enum class Waited : uint8_t { kNo, kPerhaps, kYes };

class GridWaits {
 public:
  // `order`: the order that all schedules have which have the accesses of the
  // log; absent: no more than program order.
  GridWaits(const run::Log& log, const order::Agents& agents,
            std::optional<order::Order::Kind> order);

  // Event after event of the log.
  void Pass(const run::Event& e);
  // All of these threads, as they have passed the last event.
  Waited Of(const order::Agents::List& who) const;

 private:
  Waited Of(int32_t agent) const;
  bool Own(int32_t agent) const;
  bool Known(const order::Order& order, int32_t agent) const;

  order::Order here_;
  std::optional<order::Order> always_;
  std::vector<order::Mark> waits_;  // the first of each agent
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_GRID_WAITS_H_
