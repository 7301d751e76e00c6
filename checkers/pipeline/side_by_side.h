// Where it was not shown what CTAs do that talk over global memory: small grids
// of them, side by side. What one schedule shows to be wrong is wrong; that it
// shows nothing says nothing.
#ifndef TILESIM_CHECKERS_PIPELINE_SIDE_BY_SIDE_H_
#define TILESIM_CHECKERS_PIPELINE_SIDE_BY_SIDE_H_

#include "checkers/pipeline/options.h"
#include "checkers/pipeline/part.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Findings of one kernel, at the first of such sizes at which there are any.
Part FindSideBySide(const ir::Program& program, const CheckOptions& options);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SIDE_BY_SIDE_H_
