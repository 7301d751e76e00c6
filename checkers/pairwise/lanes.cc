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

using Marks = absl::InlinedVector<Mark, 2>;

ir::AsyncUnit UnitOf(const Order& order, const Access& a) {
  return a.operation < 0 ? ir::AsyncUnit::kNone
                         : order.log().operations[a.operation].unit;
}

// Done by lanes, each its own bytes: as they execute the op, or by cp.async; or
// begun so, by st.async, of which nobody but its barrier knows the end.
bool ByLanes(const Order& order, const Access& a, bool later) {
  const ir::AsyncUnit unit = UnitOf(order, a);
  bool lanes = unit == ir::AsyncUnit::kNone ||
               unit == ir::AsyncUnit::kCpAsync ||
               (later && unit == ir::AsyncUnit::kStAsync);
  return lanes && !a.by_warp && !a.lifetime && a.address_of < 0 &&
         a.proxy == ir::Proxy::kGeneric && !a.marks.empty();
}

// Where each lane begins its part. Of a bulk copy: classes of lanes that issue
// one each.
Marks Begun(const Order& order, const Access& a) {
  if (ByLanes(order, a, true)) return a.marks;
  Marks out;
  if (UnitOf(order, a) != ir::AsyncUnit::kTma) return out;
  for (int32_t agent : order.agents().Of(order.log().events[a.event])) {
    if (order.agents()[agent].several()) out.push_back(order.mark(agent));
  }
  return out;
}

// After which each lane has done its part: it is a mark of the access, or where
// the lane has waited for what it copies. Empty: it has not, by itself.
Marks Over(const Order& order, const Access& a) {
  if (UnitOf(order, a) == ir::AsyncUnit::kTma)
    return order.WaitedByLanes(a.operation, a.over());
  if (!ByLanes(order, a, false)) return {};
  if (a.operation < 0) return a.marks;
  Marks out;
  for (Mark m : a.marks) {
    for (Mark wait : order.waited(a.operation)) {
      if (wait.agent != m.agent) continue;
      out.push_back(wait);
      break;
    }
  }
  return out.size() == a.marks.size() ? out : Marks();
}

uint32_t LanesOf(const Agent& agent) {
  return static_cast<uint32_t>(agent.lanes);
}

// Marks of lanes, not of the elected one, who is one of them if there are any.
Marks OfLanes(const Order& order, Marks marks) {
  const auto elected = [&](Mark m) {
    return order.agents()[m.agent].only_elected();
  };
  if (!std::all_of(marks.begin(), marks.end(), elected))
    marks.erase(std::remove_if(marks.begin(), marks.end(), elected),
                marks.end());
  return marks;
}

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

// Whether an agent knows what another one did of an access: itself, by the end
// of an operation, whoever issued it, or by what it has read.
bool Lanes::Knows(const Order& order, const Access& earlier, Mark a, Mark b) {
  const order::Clock& clock = order.clock(b.agent);
  if (clock.Knows(a)) return true;
  if (earlier.operation >= 0)
    return clock.Knows(earlier.operation, earlier.over());
  return earlier.atomic && order.Observed(order.log().events[earlier.event],
                                          earlier.operand, a, b);
}

// Where each lane has joined the others since, or the one agent knows what the
// other did, nothing is left to ask.
Lanes::Pairs Lanes::Unjoined(const Order& order, const Access& earlier,
                             const Access& later) {
  Pairs out;
  const Marks by = OfLanes(order, Begun(order, later));
  if (by.empty()) return out;
  for (Mark a : OfLanes(order, Over(order, earlier))) {
    const Agent& first = order.agents()[a.agent];
    for (Mark b : by) {
      const Agent& second = order.agents()[b.agent];
      if (first.cta != second.cta || first.warp != second.warp) continue;
      const bool over = a.agent == b.agent
                            ? !first.several() || order.Joined({&a, 1})
                            : Knows(order, earlier, a, b);
      if (!over) out.push_back({a, b});
    }
  }
  return out;
}

bool Lanes::Race(const Order& order, const Place& place, const Access& earlier,
                 const Access& later) {
  if (place.space == ir::Space::kTmem) return false;
  const Pairs pairs = Unjoined(order, earlier, later);
  return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return Meet(order, earlier, later, pair) && Apart(order, pair, later.event);
  });
}

bool Lanes::InNoOrder(const Order& order, const Access& earlier,
                      const Access& later) {
  const Pairs pairs = Unjoined(order, earlier, later);
  return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return Apart(order, pair, later.event);
  });
}

// Whether the second of two lanes does not know what the first has done.
bool Lanes::Apart(const Order& order, const Pair& pair, int32_t later) {
  if (pair.earlier.agent != pair.later.agent) return true;
  if (!order_) {
    twins_.emplace(log_, Agents::Unit::kTwins);
    order_.emplace(log_, *twins_, Order::Kind::kMemory);
  }
  const Agents::List both = twins_->In(order.agents()[pair.earlier.agent]);
  // They have executed as much as their class.
  return !order_->At(later).clock(both[1]).Knows({both[0], pair.earlier.seq});
}

// Whether a lane of the one touches bytes that another lane, of the other,
// touched.
bool Lanes::Meet(const Order& order, const Access& earlier, const Access& later,
                 const Pair& pair) {
  if (pair.earlier.agent == pair.later.agent)
    return Cross(earlier, later, order.agents()[pair.earlier.agent]);
  return Bytes(order, earlier, pair.earlier.agent)
      .Overlaps(Bytes(order, later, pair.later.agent));
}

IntervalSet Lanes::Bytes(const Order& order, const Access& a, int32_t agent) {
  const Agent& who = order.agents()[agent];
  // Which lane is elected is not known.
  if (who.only_elected()) return a.bytes;
  const ir::ThreadSet lanes{static_cast<uint16_t>(who.warp), 1, LanesOf(who)};
  return footprints_.Memory(log_.events[a.event], a.operand, lanes).bytes;
}

// Leaves out of an access agents none of whose lanes has bytes that are
// touched. False: there are none such.
bool Lanes::Narrow(const Order& order, Access& access, bool later,
                   const IntervalSet& touched) {
  if (!ByLanes(order, access, later)) return false;
  absl::InlinedVector<Mark, 2> marks;
  for (Mark m : OfLanes(order, access.marks)) {
    if (Bytes(order, access, m.agent).Overlaps(touched)) marks.push_back(m);
  }
  if (marks.empty() || marks.size() == access.marks.size()) return false;
  access.marks = std::move(marks);
  return true;
}

std::optional<Lanes::Touching> Lanes::Touch(const Order& order,
                                            const Access& earlier,
                                            const Access& later) {
  Touching out{earlier, later};
  const bool fewer = Narrow(order, out.earlier, false, later.bytes);
  if (!Narrow(order, out.later, true, earlier.bytes) && !fewer)
    return std::nullopt;
  return out;
}

// Whether a lane of the agent touches bytes that another one touched. On chip,
// two accesses that have one footprint object have the same op, operands and
// lanes, so the answer for a pair of such objects holds for each pair of their
// accesses.
bool Lanes::Cross(const Access& earlier, const Access& later,
                  const Agent& agent) {
  const ir::ThreadSet all{static_cast<uint16_t>(agent.warp), 1, LanesOf(agent)};
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
