// Words that count the steps of a loop, as several words:
//
//   for it in 0..STEPS {
//     ...
//     thread 0 { st.release.gpu Done[cta.x], it + 1 }
//     var f = 0
//     while f < it + 1 { ld.acquire.gpu f, Done[cta.x - 1] }
//
// With the loop unrolled and a tensor of flags for each step, who waits is let
// go at the same moment, and comes after less. So it is with a barrier of the
// grid in every step (`red.add Count[0], 1`, `while n < (it + 1) * grid.x`, or
// `red.add Count[it], 1`, `while n < grid.x`: each word is a tensor of its own
// then, word_arrays.h).
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_FLAG_STEPS_H_
#define TILESIM_CHECKERS_PIPELINE_FLAG_STEPS_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `defines`: of constants. nullopt: there are no such words.
std::optional<ir::Program> WithFlagsOfSteps(const ir::Program& program,
                                            const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_FLAG_STEPS_H_
