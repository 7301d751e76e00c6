// The rules of legality: a file a unit of the machine, a function an op.
#ifndef TILESIM_FRONTEND_LEGALITY_RULES_H_
#define TILESIM_FRONTEND_LEGALITY_RULES_H_

#include "frontend/legality/op_check.h"
#include "ir/ops/all.h"

namespace tilesim::frontend {

// One function an op: its rules. Declared for all of ir/ops.def, so that an op
// without one is a link error that names it. Those that take nothing stand in
// no_rules.def.
#define TILE_OP(Name) void CheckOp(ir::ops::Name, OpCheck& c);
#include "ir/ops.def"
#undef TILE_OP

// What holds for every op, then the rules of its own.
void CheckLegality(OpCheck& op);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_LEGALITY_RULES_H_
