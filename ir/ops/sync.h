// Hardware barriers, fences, the register pool (hardware.md A.2, A.6, A.9).
#ifndef TILESIM_IR_OPS_SYNC_H_
#define TILESIM_IR_OPS_SYNC_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/code.h"
#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(BarSync, (), kId, kThreads);
TILESIM_OP(BarArrive, (), kId, kThreads);
TILESIM_OP(BarWarpSync, (), kMask);
TILESIM_OP(ClusterArrive, (ClusterArriveSem));
TILESIM_OP(ClusterWait, ());
TILESIM_OP(Fence, (FenceSem, FenceScope));
TILESIM_OP(FenceMbarrierInit, ());
TILESIM_OP(FenceProxyAsync, (ProxySpace));
TILESIM_OP(FenceProxyAsyncAcquire, ());
TILESIM_OP(FenceProxyAsyncRelease, ());
TILESIM_OP(SetmaxnregInc, (), kCount);
TILESIM_OP(SetmaxnregDec, (), kCount);

// What is wrong when `lanes` of a warp execute bar.warp.sync with `mask`: one
// that is not in the mask (undefined in PTX), or one of the mask that does not
// come. Lanes of a warp that a scope leaves out wait at its end.
struct WrongLanes {
  Code code;
  std::string message;
};
std::optional<WrongLanes> WrongLanesOf(int64_t mask, uint32_t lanes);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_SYNC_H_
