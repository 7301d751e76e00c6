// The semantic check: what must hold before a program means anything.
#ifndef TILESIM_FRONTEND_CHECK_H_
#define TILESIM_FRONTEND_CHECK_H_

#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Checks and completes `program`, as parse.h says. Each step runs only when
// those before it found nothing but wrong ops, and passes over those.
enum class Numbers : uint8_t { kOfDefaults, kOnceBound };
void Check(ir::Program& program, Numbers numbers, ir::Diagnostics& diagnostics);

// The part of it that is about numbers, for other parameters than the default
// ones: shapes, threads, legality of every op. For `-D NAME=VALUE`.
void CheckBound(const ir::BoundKernel& bound, ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_CHECK_H_
