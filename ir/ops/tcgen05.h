// tcgen05: Blackwell's tensor core and tensor memory (hardware.md A.8, B.2).
#ifndef TILESIM_IR_OPS_TCGEN05_H_
#define TILESIM_IR_OPS_TCGEN05_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(Tcgen05Alloc, kPool);
TILESIM_OP(Tcgen05Dealloc, kPool);
TILESIM_OP(Tcgen05RelinquishAllocPermit, kNone);
TILESIM_OP(Tcgen05Mma, kD, kA, kB, kAccumulate);
TILESIM_OP(Tcgen05MmaBlockScale, kD, kA, kB, kScaleA, kScaleB, kAccumulate);
TILESIM_OP(Tcgen05Commit, kBar, kMulticast);
TILESIM_OP(Tcgen05Ld, kDst, kSrc);
TILESIM_OP(Tcgen05St, kDst, kSrc);
TILESIM_OP(Tcgen05Cp, kDst, kSrc);
TILESIM_OP(Tcgen05Shift, kTile);
TILESIM_OP(Tcgen05WaitLd, kNone);
TILESIM_OP(Tcgen05WaitSt, kNone);
TILESIM_OP(Tcgen05FenceBefore, kNone);
TILESIM_OP(Tcgen05FenceAfter, kNone);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_TCGEN05_H_
