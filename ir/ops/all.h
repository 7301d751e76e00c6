// Every op struct of ops.def.
#ifndef TILESIM_IR_OPS_ALL_H_
#define TILESIM_IR_OPS_ALL_H_

#include "ir/ops/bulk.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/grid.h"
#include "ir/ops/mbarrier.h"
#include "ir/ops/memory.h"
#include "ir/ops/mma.h"
#include "ir/ops/sync.h"
#include "ir/ops/tcgen05.h"
#include "ir/ops/tile.h"
#include "ir/ops/wgmma.h"

#endif  // TILESIM_IR_OPS_ALL_H_
