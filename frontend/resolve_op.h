// Names in the operands of an op, against what the op table says it takes.
#ifndef TILESIM_FRONTEND_RESOLVE_OP_H_
#define TILESIM_FRONTEND_RESOLVE_OP_H_

#include "frontend/symbols.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

void ResolveOp(ir::Op& op, const ir::Kernel& kernel, Symbols& symbols,
               ExprChecker& exprs, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_RESOLVE_OP_H_
