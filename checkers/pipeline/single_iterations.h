// Loops of which one iteration alone does anything, as that iteration:
//
//   for k in 0..STEPS {                if 0 < STEPS && 0 <= STEPS - 1 && .. {
//     if k == STEPS - 1 { .. k .. }      let k = STEPS - 1
//   }                                    .. k ..
//                                      }
//
#ifndef TILESIM_CHECKERS_PIPELINE_SINGLE_ITERATIONS_H_
#define TILESIM_CHECKERS_PIPELINE_SINGLE_ITERATIONS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// docs/all_sizes.md 3.10. Whether there was one.
bool ExecuteSingleIterations(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SINGLE_ITERATIONS_H_
