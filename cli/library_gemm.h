// Whether a program computes a product that a library computes, too.
#ifndef TILESIM_CLI_LIBRARY_GEMM_H_
#define TILESIM_CLI_LIBRARY_GEMM_H_

#include <optional>

#include "cli/input.h"
#include "hwtests/run/run.h"

namespace tilesim::cli {

// `computes D = A * transpose(B)` or `D = A * B`, of whole matrices, where that
// is all it computes.
std::optional<hwtests::GemmPlan> LibraryGemm(const Loaded& loaded,
                                             const hwtests::LaunchPlan& plan);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LIBRARY_GEMM_H_
