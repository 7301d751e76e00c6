// `include "file"`: functions that stand in another file.
#ifndef TILESIM_FRONTEND_INCLUDE_H_
#define TILESIM_FRONTEND_INCLUDE_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Puts the functions of the included files before those of `program`, each
// file's once. Paths are relative to the file that has the `include`. False
// after an error: a file that is missing, or includes itself.
bool Include(ir::Program& program, const ir::Source& source,
             ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_INCLUDE_H_
