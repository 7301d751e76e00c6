// Copies by the TMA engine, tensor and linear (hardware.md A.4, A.5).
#ifndef TILESIM_IR_OPS_BULK_H_
#define TILESIM_IR_OPS_BULK_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(TmaLoad, (CtaGroup), kDst, kSrc, kBar, kMulticast);
TILESIM_OP(TmaStore, (), kDst, kSrc);
TILESIM_OP(TmaReduce, (ReduceOp), kDst, kSrc);
TILESIM_OP(TmaPrefetch, (), kSrc);
TILESIM_OP(PrefetchTensormap, (), kTile, kBox);
TILESIM_OP(BulkLoad, (), kDst, kSrc, kBar, kMulticast);
TILESIM_OP(BulkStore, (), kDst, kSrc);
TILESIM_OP(BulkPush, (), kDst, kSrc, kBar);
TILESIM_OP(BulkCommitGroup, ());
TILESIM_OP(BulkWaitGroup, (ReadOnly), kPending);

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_BULK_H_
