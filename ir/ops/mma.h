// mma.sync and its operand moves: a warp at a time, synchronous.
#ifndef TILESIM_IR_OPS_MMA_H_
#define TILESIM_IR_OPS_MMA_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(MmaSync, (), kD, kA, kB, kAccumulate);
TILESIM_OP(Ldmatrix, (), kDst, kSrc);
TILESIM_OP(Stmatrix, (), kDst, kSrc);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_MMA_H_
