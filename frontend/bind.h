// A program with its parameters given.
#ifndef TILESIM_FRONTEND_BIND_H_
#define TILESIM_FRONTEND_BIND_H_

#include <optional>
#include <vector>

#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

// Every kernel bound, and checked for these numbers as the parser has checked
// it for the default ones. Of `defines`, with which the text was parsed, each
// kernel takes the parameters it knows; what none knows is an error. nullopt
// after an error.
std::optional<std::vector<ir::BoundKernel>> BindProgram(
    const ir::Program& program, const ir::Overrides& defines, int64_t sm_count,
    ir::Diagnostics& diagnostics);

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_BIND_H_
