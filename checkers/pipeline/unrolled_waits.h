// Loops of a few iterations that wait for words of global memory, written out:
//
//   for k in 1..3 { let c = 2 * cta.x + k; if c < N { wait for F[c]; .. } }
//
// Then each wait is an op of its own. Loops of the kernel's own body are
// followed step by step as they are (run/step_words.h).
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_UNROLLED_WAITS_H_
#define TILESIM_CHECKERS_PIPELINE_UNROLLED_WAITS_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `defines`: of constants. nullopt: there are no such loops.
std::optional<ir::Program> WithWaitsWrittenOut(const ir::Program& program,
                                               const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_UNROLLED_WAITS_H_
