// Loops that cannot end.
#ifndef TILESIM_FRONTEND_ENDLESS_H_
#define TILESIM_FRONTEND_ENDLESS_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// type/step: a `while` of which nothing changes the condition, and that no
// `break` leaves. Its names are resolved.
void CheckEnds(const ir::Stmt& loop, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_ENDLESS_H_
