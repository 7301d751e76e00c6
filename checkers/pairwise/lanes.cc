#include "checkers/pairwise/lanes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilesim::checkers::pairwise {
using footprint::IntervalSet;
using footprint::Place;
using order::Access;
using order::Agent;
using order::Agents;
using order::Mark;
using order::Order;
using run::Event;

namespace {

// Done by lanes, each its own bytes: as they execute the op, or by cp.async; or
// begun so, by st.async, of which nobody but its barrier knows the end.
bool ByLanes(const Order& order, const Access& a, bool later) {
  auto unit = a.operation < 0 ? ir::AsyncUnit::kNone
                              : order.log().operations[a.operation].unit;
  bool lanes = unit == ir::AsyncUnit::kNone ||
               unit == ir::AsyncUnit::kCpAsync ||
               (later && unit == ir::AsyncUnit::kStAsync);
  return lanes && !a.by_warp && !a.lifetime && a.address_of < 0 &&
         a.proxy == ir::Proxy::kGeneric && !a.marks.empty();
}

// After which each lane has done its part: it is a mark of the access, or where
// the lane has waited for what it copies. Empty: it has not, by itself.
absl::InlinedVector<Mark, 2> Over(const Order& order, const Access& a) {
  if (a.operation < 0) return a.marks;
  absl::InlinedVector<Mark, 2> out;
  for (Mark m : a.marks) {
    for (Mark wait : order.waited(a.operation)) {
      if (wait.agent != m.agent) continue;
      out.push_back(wait);
      break;
    }
  }
  return out.size() == a.marks.size() ? out : absl::InlinedVector<Mark, 2>();
}

// The agents of two accesses are the same, in the same order.
bool SameAgents(const Access& a, const Access& b) {
  return std::equal(a.marks.begin(), a.marks.end(), b.marks.begin(),
                    b.marks.end(),
                    [](Mark x, Mark y) { return x.agent == y.agent; });
}

uint32_t LanesOf(const Agent& agent) {
  return static_cast<uint32_t>(agent.lanes);
}

bool Several(uint32_t lanes) { return (lanes & (lanes - 1)) != 0; }

}  // namespace

// How far the bytes of one access reach, of those that a sweep has met: for
// each lane that is left out, the others.
class Lanes::Reach {
 public:
  void Add(const Part& part) {
    if (part.lane == first_.lane) {
      first_.end = std::max(first_.end, part.bytes.end);
    } else if (part.bytes.end > first_.end) {
      second_ = std::exchange(first_, {part.bytes.end, part.lane});
    } else if (part.bytes.end > second_.end) {
      second_ = {part.bytes.end, part.lane};
    }
  }
  int64_t WithoutLane(int lane) const {
    return lane == first_.lane ? second_.end : first_.end;
  }

 private:
  struct Farthest {
    int64_t end = INT64_MIN;
    int lane = -1;
  };

  Farthest first_;
  Farthest second_;  // of the lanes other than that of `first_`
};

// Sweeps over the bytes in their order: a part overlaps one that began before
// it exactly if that one reaches beyond its begin.
bool Lanes::TouchAcrossLanes(std::vector<Part> parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.bytes.begin < b.bytes.begin;
  });
  Reach reach[2];  // of the earlier access, of the later one
  for (const Part& part : parts) {
    if (reach[!part.later].WithoutLane(part.lane) > part.bytes.begin)
      return true;
    reach[part.later].Add(part);
  }
  return false;
}

// Each by several lanes of a warp, the same for both.
bool Lanes::ByOneWarp(const Order& order, const Access& earlier,
                      const Access& later) {
  return ByLanes(order, earlier, false) && ByLanes(order, later, true) &&
         SameAgents(earlier, later) && Several(All(order, later));
}

uint32_t Lanes::All(const Order& order, const Access& a) {
  uint32_t all = 0;
  for (Mark m : a.marks) all |= LanesOf(order.agents()[m.agent]);
  return all;
}

bool Lanes::Race(const Order& order, const Place& place, const Access& earlier,
                 const Access& later) {
  if (place.space == ir::Space::kTmem || !ByOneWarp(order, earlier, later))
    return false;
  const absl::InlinedVector<Mark, 2> over = Over(order, earlier);
  const int32_t warp = order.agents()[later.marks[0].agent].warp;
  return !order.Joined(over) &&
         Cross(earlier, later, All(order, later), warp) &&
         Apart(order, over, later.event);
}

bool Lanes::InNoOrder(const Order& order, const Access& earlier,
                      const Access& later) {
  if (!ByOneWarp(order, earlier, later)) return false;
  const absl::InlinedVector<Mark, 2> over = Over(order, earlier);
  return !order.Joined(over) && Apart(order, over, later.event);
}

// Whether the second of two lanes does not know what the first has done.
bool Lanes::Apart(const Order& order, std::span<const Mark> earlier,
                  int32_t later) {
  if (!order_) {
    twins_.emplace(log_, Agents::Unit::kTwins);
    order_.emplace(log_, *twins_, Order::Kind::kMemory);
  }
  const Order& twins = order_->At(later);
  for (Mark m : earlier) {
    const Agent& agent = order.agents()[m.agent];
    if (!Several(LanesOf(agent))) continue;
    const Agents::List both = twins_->In(agent);
    // They have executed as much as their class.
    if (!twins.clock(both[1]).Knows({both[0], m.seq})) return true;
  }
  return false;
}

// An op of whole warps (ldmatrix, stmatrix): PTX does not say which lane reads
// or writes which row, and its .sync is no order of memory.
bool Lanes::ByAnyLane(const Access& a) const {
  return log_.events[a.event].concrete().info().scope == ir::ExecScope::kWarp;
}

// Whether a lane touches bytes that another one touched. On chip, two accesses
// that have one footprint object have the same op, operands and lanes, so the
// answer for a pair of such objects holds for each pair of their accesses.
bool Lanes::Cross(const Access& earlier, const Access& later, uint32_t lanes,
                  int32_t warp) {
  if (ByAnyLane(earlier) || ByAnyLane(later)) return true;
  const ir::ThreadSet all{static_cast<uint16_t>(warp), 1, lanes};
  const footprint::Footprint* before =
      footprints_.OnChip(log_.events[earlier.event], earlier.operand, all);
  const footprint::Footprint* now =
      footprints_.OnChip(log_.events[later.event], later.operand, all);
  if (before == nullptr || now == nullptr)
    return TouchAcrossLanes(Parts(earlier, later, all));
  return footprints_.fragments().Cross(*before, *now, [&] {
    return TouchAcrossLanes(Parts(earlier, later, all));
  });
}

std::vector<Lanes::Part> Lanes::Parts(const Access& earlier,
                                      const Access& later,
                                      const ir::ThreadSet& threads) {
  std::vector<Part> parts;
  ir::ThreadSet one = threads;
  for (int lane = 0; lane < ir::kWarpThreads; ++lane) {
    one.lanes = 1u << lane;
    if ((threads.lanes & one.lanes) == 0) continue;
    for (const Access* a : {&earlier, &later}) {
      const IntervalSet bytes =
          footprints_.Memory(log_.events[a->event], a->operand, one).bytes;
      for (const footprint::Interval& i : bytes.intervals())
        parts.push_back({i, lane, a == &later});
    }
  }
  return parts;
}

}  // namespace tilesim::checkers::pairwise
