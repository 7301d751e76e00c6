// Later kernels of a file see the sizes and globals of earlier ones by name.
#ifndef TILESIM_FRONTEND_IMPORT_H_
#define TILESIM_FRONTEND_IMPORT_H_

#include <cstddef>

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Copies into kernel `index` what it names without declaring it and an
// earlier kernel declares, with all that it depends on, in front of its own.
// No item of the kernel shows them, so that they are not printed.
void ImportFromEarlier(ir::Program& program, size_t index);

// Params, consts and globals that an earlier kernel also declares must be
// declared the same way (name/redeclared). After names are resolved.
void CheckRedeclared(const ir::Program& program, size_t index,
                     ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_IMPORT_H_
