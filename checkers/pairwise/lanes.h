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
//
// Classes of lanes have clocks of their own, and each lane bytes of its own:
// what a class knows of another matters where their bytes meet, and there only.
// The elected lane, whoever it is, is one of a class as well where all lanes
// act.
#ifndef TILESIM_CHECKERS_PAIRWISE_LANES_H_
#define TILESIM_CHECKERS_PAIRWISE_LANES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
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

  // The parts of two accesses that overlap by lanes that touch bytes of the
  // other: where these are in order, so are the accesses. None if nobody but
  // all of their lanes does.
  struct Touching {
    order::Access earlier, later;
  };
  std::optional<Touching> Touch(const order::Order& order,
                                const order::Access& earlier,
                                const order::Access& later);
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
  // Agents of one warp, of which the one does not know, or not by each lane,
  // what the other did.
  struct Pair {
    order::Mark earlier, later;
  };
  using Pairs = absl::InlinedVector<Pair, 2>;
  static bool Knows(const order::Order& order, const order::Access& earlier,
                    order::Mark a, order::Mark b);
  static Pairs Unjoined(const order::Order& order, const order::Access& earlier,
                        const order::Access& later);
  bool Apart(const order::Order& order, const Pair& pair, int32_t later);
  bool Meet(const order::Order& order, const order::Access& earlier,
            const order::Access& later, const Pair& pair);
  bool Cross(const order::Access& earlier, const order::Access& later,
             const order::Agent& agent);
  footprint::IntervalSet Bytes(const order::Order& order,
                               const order::Access& access, int32_t agent);
  bool Narrow(const order::Order& order, order::Access& access, bool later,
              const footprint::IntervalSet& touched);
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
