#include "sim/timing/fences.h"

#include <algorithm>
#include <utility>

namespace tilesim::timing {
namespace {

// Fences of several warps that begin within so many cycles are one.
constexpr double kJoined = 48;
// Of what is left of a slow one that is under way, a later one waits for this
// part, if that is behind tensor loads, before it begins (fence.crowd, begun at
// any time: 930 cycles of one warp, 1,165 of eight). Where stores queue for L2
// it waits for all of it (1,860 and 2,650).
constexpr double kBehindOther = 0.45;

// A fence beyond the CTA takes longer behind tensor loads of its SM, whoever
// issued them, and waits for those under way (fences.cu: 658 for 270, however
// long ago they landed). The fence behind is slow as well if this one began so
// soon after the load (fence.second). One that was under way when a load was
// issued is, too: the next one takes so much longer (SmUnits::fence_owes).
double BehindLoads(const CostContext& c, double from, double fence) {
  constexpr double kSoon = 250;
  SmUnits& sm = c.sm;
  if (sm.loads_issued > sm.loads_fenced) {
    fence = std::max({fence, c.arch.fence_loads, sm.landed - from});
    sm.loads_fenced = std::max(sm.loads_fenced, from - kSoon);
  }
  return fence + std::exchange(sm.fence_owes, 0);
}

// Tensor stores that are under way at `from` have to wait so long for L2.
double Queued(const SmUnits& sm, double from) {
  return std::clamp(sm.queued, 0.0, std::max(0.0, sm.sent - from));
}

// The first one behind what the SM has written goes to L2 and back, too, once
// stores from registers have left the SM (releases.cu: however long ago that
// was; store.fragment.visible less issued). It is behind tensor stores that
// queue for L2 (fence.crowd: 700 on one SM, 1,930 where all store).
double BehindStores(const CostContext& c, double from, double fence) {
  const SmUnits& sm = c.sm;
  if (sm.written <= sm.fenced && sm.sent <= sm.fencing) return fence;
  fence = std::max(fence, c.arch.fence_stores);
  const double stored = std::max(0.0, sm.left - from);
  return fence + std::max(stored, Queued(sm, from));
}

// One that begins at `from`.
double Waits(const CostContext& c, double from, double alone) {
  return BehindLoads(c, from, BehindStores(c, from, alone)) +
         std::max(0.0, c.sm.settled - from);
}

}  // namespace

double FenceTime(const CostContext& c, double alone) {
  SmUnits& sm = c.sm;
  const bool joins = c.now <= sm.fencing + kJoined;
  const double left = std::max(0.0, sm.fenced - c.now);
  const double from = c.now + (joins ? 0 : left * sm.fence_slow);
  const double fence = Waits(c, from, alone);
  // Nobody's ends before one that is under way.
  const double end = std::max(from + fence, sm.fenced);
  if (!joins) sm.fence_slow = 0;
  if (fence > alone)
    sm.fence_slow =
        std::max(sm.fence_slow, Queued(sm, from) > 0 ? 1.0 : kBehindOther);
  sm.fencing = from;
  sm.fenced = end;
  return end - c.now;
}

// It is one at GPU scope and more (what ptxas makes of it: MEMBAR.ALL.GPU;
// FENCE.VIEW.ASYNC), whose rest is short.
double ProxyFenceTime(const CostContext& c) {
  const double less = c.arch.fence_gpu - c.arch.fence_proxy;
  return FenceTime(c, c.arch.fence_gpu) - less;
}

}  // namespace tilesim::timing
