// Arithmetic on register tiles: what epilogues and attention need. A tile of
// one column (or a number) is applied to every column.
#ifndef TILESIM_IR_OPS_TILE_H_
#define TILESIM_IR_OPS_TILE_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(Mov, (), kDst, kSrc);
TILESIM_OP(Cvt, (CvtRound), kDst, kSrc);
TILESIM_OP(Neg, (), kDst, kSrc);
TILESIM_OP(Add, (), kDst, kA, kB);
TILESIM_OP(Sub, (), kDst, kA, kB);
TILESIM_OP(Mul, (), kDst, kA, kB);
TILESIM_OP(Fma, (), kDst, kA, kB, kC);
TILESIM_OP(Max, (), kDst, kA, kB);
TILESIM_OP(Min, (), kDst, kA, kB);
TILESIM_OP(Ex2, (), kDst, kSrc);
TILESIM_OP(Lg2, (), kDst, kSrc);
TILESIM_OP(Rcp, (), kDst, kSrc);
TILESIM_OP(RowMax, (), kDst, kSrc);
TILESIM_OP(RowSum, (), kDst, kSrc);
TILESIM_OP(MaskCausal, (), kDst, kRow, kCol);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_TILE_H_
