// cp.async: global to shared by ordinary threads, generic proxy
// (hardware.md A.3).
#ifndef TILESIM_IR_OPS_CP_ASYNC_H_
#define TILESIM_IR_OPS_CP_ASYNC_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(CpAsync, (Zfill), kDst, kSrc, kVec);
TILESIM_OP(CpAsyncCommitGroup, ());
TILESIM_OP(CpAsyncWaitGroup, (), kPending);
TILESIM_OP(CpAsyncMbarrierArrive, (Noinc), kBar);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_CP_ASYNC_H_
