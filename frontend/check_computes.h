// Shapes in the reference result.
#ifndef TILESIM_FRONTEND_CHECK_COMPUTES_H_
#define TILESIM_FRONTEND_CHECK_COMPUTES_H_

#include "ir/bind.h"
#include "ir/diagnostic.h"

namespace tilesim::frontend {

// Every operation of `computes` fits its operands, and the result its target,
// for the bound parameters (shape/computes).
void CheckComputes(const ir::BoundKernel& bound, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_CHECK_COMPUTES_H_
