// What can be read of a text that is being written: for editors.
#ifndef TILESIM_FRONTEND_PARTIAL_H_
#define TILESIM_FRONTEND_PARTIAL_H_

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// As ParseSyntax, of a text with errors: statements that cannot be read are
// left out. It is no program that anything else may look at than its names.
ir::Program ParsePartly(const ir::Source& source);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_PARTIAL_H_
