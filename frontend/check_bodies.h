// Who executes each op, and whether it is legal there.
#ifndef TILESIM_FRONTEND_CHECK_BODIES_H_
#define TILESIM_FRONTEND_CHECK_BODIES_H_

#include <set>

#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

using OpSet = std::set<const ir::Op*>;

// Follows the sets of threads through the scopes of a kernel: scopes that
// select nobody, ops that need whole warps or warpgroups and do not get them,
// register tiles touched by threads that do not hold them, registers; and the
// rules of legality/ for every op. Numbers are those of `bound`, except that
// no branch is taken because of a parameter's value. Ops that are `wrong`
// already are passed over.
void CheckBodies(const ir::BoundKernel& bound, const OpSet& wrong,
                 ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_CHECK_BODIES_H_
