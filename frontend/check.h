// The semantic check: what must hold before a program means anything.
#ifndef TILESIM_FRONTEND_CHECK_H_
#define TILESIM_FRONTEND_CHECK_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Checks and completes `program`, as parse.h says. Each step runs only when
// those before it found nothing.
void Check(ir::Program& program, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_CHECK_H_
