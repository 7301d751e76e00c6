// One function an op: its lowering. Declared for all of ir/ops.def, so that
// an op without one is a link error that names it. Ops that have none yet stand
// in exempt.def, which only shrinks.
#ifndef TILESIM_HWTESTS_EMIT_OP_TABLE_H_
#define TILESIM_HWTESTS_EMIT_OP_TABLE_H_

#include "hwtests/emit/op_emitter.h"
#include "ir/ops/all.h"

namespace tilesim::hwtests {

template <class OpT>
void EmitOp(OpEmitter& e);

#define TILE_OP(Name) \
  template <>         \
  void EmitOp<ir::ops::Name>(OpEmitter & e);
#include "ir/ops.def"
#undef TILE_OP

// Looks the op up in the table.
void EmitOpOf(OpEmitter& e);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_OP_TABLE_H_
