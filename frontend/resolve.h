// Names: what each one means, and whether it may stand where it stands.
#ifndef TILESIM_FRONTEND_RESOLVE_H_
#define TILESIM_FRONTEND_RESOLVE_H_

#include <cstddef>

#include "frontend/check_bodies.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Fills in what the check fills in of kernel `index`: slots, name kinds,
// declarations, roles, numbers of parameters. Scalars get slots in this order:
// params, then consts and lets of the top level, then those of statements, one
// each. Reports unknown and repeated names, assignments to what is no var,
// operands of the wrong kind, and sizes that are not known when they must be.
struct Resolved {
  bool but_ops = true;  // everything but the ops below means something
  OpSet wrong;          // ops with an error
};
Resolved Resolve(ir::Program& program, size_t index,
                 ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_RESOLVE_H_
