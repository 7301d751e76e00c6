// What fences beyond the CTA wait for.
#ifndef TILESIM_SIM_TIMING_FENCES_H_
#define TILESIM_SIM_TIMING_FENCES_H_

#include "sim/timing/cost.h"

namespace tilesim::timing {

// Cycles of a fence at cluster scope or wider by the threads of the context,
// which takes `fence` where nothing is under way.
double FenceTime(const CostContext& context, double fence);

// Of fence.proxy.async, which covers global memory: it waits likewise.
double ProxyFenceTime(const CostContext& context);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_FENCES_H_
