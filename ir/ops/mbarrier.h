// mbarrier objects (PTX 9.7.13.15, hardware.md A.1).
#ifndef TILESIM_IR_OPS_MBARRIER_H_
#define TILESIM_IR_OPS_MBARRIER_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(MbarrierInit, (), kBar, kCount);
TILESIM_OP(MbarrierInval, (), kBar);
TILESIM_OP(MbarrierArrive, (ArriveSem, BarrierScope), kBar, kCount);
TILESIM_OP(MbarrierArriveDrop, (ArriveSem, BarrierScope), kBar, kCount);
TILESIM_OP(MbarrierArriveExpectTx, (ArriveSem, BarrierScope), kBar, kBytes);
TILESIM_OP(MbarrierExpectTx, (), kBar, kBytes);
TILESIM_OP(MbarrierCompleteTx, (), kBar, kBytes);
TILESIM_OP(MbarrierWait, (WaitSem, BarrierScope), kBar, kParity);
TILESIM_OP(MbarrierTestWait, (WaitSem, BarrierScope), kDst, kBar, kParity);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_MBARRIER_H_
