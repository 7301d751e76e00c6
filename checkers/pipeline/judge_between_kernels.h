// Fourth stage: what kernels of a program that may run at the same time do to
// each other.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGE_BETWEEN_KERNELS_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGE_BETWEEN_KERNELS_H_

#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"

namespace tilesim::checkers::pipeline {

// Of all kernels, which were judged before. Where nothing was found in them,
// they are also run at sizes at which another may meet them, and at small ones
// where reads of undefined tensors are not shown. A part for each such run, and
// the last for what whole-program checks conclude.
std::vector<Part> JudgeBetweenKernels(const std::vector<Part>& kernels,
                                      Judging& judging);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_BETWEEN_KERNELS_H_
