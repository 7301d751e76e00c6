// Cluster launch control and dependent launches (hardware.md A.9).
#ifndef TILESIM_IR_OPS_GRID_H_
#define TILESIM_IR_OPS_GRID_H_

#include "ir/ops/common.h"

namespace tilesim::ir::ops {

TILESIM_OP(ClcTryCancel, (Multicast), kResponse, kBar);
TILESIM_OP(ClcQueryCancel, (), kCanceled, kX, kY, kResponse);
TILESIM_OP(GriddepcontrolLaunchDependents, ());
TILESIM_OP(GriddepcontrolWait, ());

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_GRID_H_
