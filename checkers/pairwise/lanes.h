// Lanes of one warp against each other. Lanes that always act together have one
// clock (order/agents.h), which keeps program order among them: what one of
// them did before is before what another does now. PTX knows no such order:
// each lane has a program order of its own, and bar.warp.sync, a barrier or an
// mbarrier joins them.
//
// Two of them stand for all. They do the same at each event, so whether one
// knows what another did is the same for any two; an order in which each class
// of lanes is two (Agents::Unit::kTwins) says so. It is asked only where lanes
// touch each other's bytes and no warp or CTA barrier stands between.
#ifndef TILESIM_CHECKERS_PAIRWISE_LANES_H_
#define TILESIM_CHECKERS_PAIRWISE_LANES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/order/access.h"
#include "checkers/order/agents.h"
#include "checkers/order/late_order.h"
#include "checkers/order/order.h"

namespace tilesim::checkers::pairwise {

class Lanes {
 public:
  // Both must outlive it.
  Lanes(const run::Log& log, footprint::Footprints& footprints)
      : log_(log), footprints_(footprints) {}

  // Of two accesses that overlap and are in order: whether a lane of a warp
  // touches bytes that another lane of the warp touched before, in no order.
  // `order` has just finished the event of `later`.
  bool Race(const order::Order& order, const footprint::Place& place,
            const order::Access& earlier, const order::Access& later);
  // The same, wherever they touch: a lane does not know what another one of the
  // warp has done.
  bool InNoOrder(const order::Order& order, const order::Access& earlier,
                 const order::Access& later);

 private:
  static bool ByOneWarp(const order::Order& order, const order::Access& earlier,
                        const order::Access& later);
  static uint32_t All(const order::Order& order, const order::Access& a);
  bool Apart(const order::Order& order, std::span<const order::Mark> earlier,
             int32_t later);
  bool ByAnyLane(const order::Access& access) const;
  bool Cross(const order::Access& earlier, const order::Access& later,
             uint32_t lanes, int32_t warp);
  // Bytes that one lane touches, by the earlier or by the later access.
  struct Part {
    footprint::Interval bytes;
    int lane;
    bool later;
  };
  class Reach;
  static bool TouchAcrossLanes(std::vector<Part> parts);
  std::vector<Part> Parts(const order::Access& earlier,
                          const order::Access& later,
                          const ir::ThreadSet& threads);

  const run::Log& log_;
  footprint::Footprints& footprints_;
  std::optional<order::Agents> twins_;
  std::optional<order::LateOrder> order_;  // of those
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_LANES_H_
