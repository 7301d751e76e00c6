// Hardware barriers, fences, the register pool (hardware.md A.2, A.6, A.9).
#ifndef TILESIM_IR_OPS_SYNC_H_
#define TILESIM_IR_OPS_SYNC_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(BarSync, kId, kThreads);
TILESIM_OP(BarArrive, kId, kThreads);
TILESIM_OP(BarWarpSync, kNone);
TILESIM_OP(ClusterArrive, kNone);
TILESIM_OP(ClusterWait, kNone);
TILESIM_OP(Fence, kNone);
TILESIM_OP(FenceMbarrierInit, kNone);
TILESIM_OP(FenceProxyAsync, kNone);
TILESIM_OP(FenceProxyAsyncAcquire, kNone);
TILESIM_OP(FenceProxyAsyncRelease, kNone);
TILESIM_OP(SetmaxnregInc, kCount);
TILESIM_OP(SetmaxnregDec, kCount);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_SYNC_H_
