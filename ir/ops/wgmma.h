// wgmma: Hopper's warpgroup matrix multiply (hardware.md A.7, B.1).
#ifndef TILESIM_IR_OPS_WGMMA_H_
#define TILESIM_IR_OPS_WGMMA_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(WgmmaFence, ());
TILESIM_OP(WgmmaMmaAsync, (), kD, kA, kB, kAccumulate);
TILESIM_OP(WgmmaCommitGroup, ());
TILESIM_OP(WgmmaWaitGroup, (), kPending);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_WGMMA_H_
