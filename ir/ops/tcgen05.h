// tcgen05: Blackwell's tensor core and tensor memory (hardware.md A.8, B.2).
#ifndef TILESIM_IR_OPS_TCGEN05_H_
#define TILESIM_IR_OPS_TCGEN05_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(Tcgen05Alloc, (CtaGroup), kPool);
TILESIM_OP(Tcgen05Dealloc, (CtaGroup), kPool);
TILESIM_OP(Tcgen05RelinquishAllocPermit, (CtaGroup));
TILESIM_OP(Tcgen05Mma, (CtaGroup), kD, kA, kB, kAccumulate);
TILESIM_OP(Tcgen05MmaBlockScale, (CtaGroup), kD, kA, kB, kSfa, kSfb,
           kAccumulate);
TILESIM_OP(Tcgen05Commit, (CtaGroup), kBar, kMulticast);
TILESIM_OP(Tcgen05Ld, (), kDst, kSrc);
TILESIM_OP(Tcgen05St, (), kDst, kSrc);
TILESIM_OP(Tcgen05Cp, (CtaGroup), kDst, kSrc);
TILESIM_OP(Tcgen05Shift, (CtaGroup), kTile);
TILESIM_OP(Tcgen05WaitLd, ());
TILESIM_OP(Tcgen05WaitSt, ());
TILESIM_OP(Tcgen05FenceBefore, ());
TILESIM_OP(Tcgen05FenceAfter, ());

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_TCGEN05_H_
