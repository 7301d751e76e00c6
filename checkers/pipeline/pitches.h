// Pitches of tensors that sizes decide in a way of which no sample stands for
// all.
#ifndef TILESIM_CHECKERS_PIPELINE_PITCHES_H_
#define TILESIM_CHECKERS_PIPELINE_PITCHES_H_

#include <string>
#include <vector>

#include "checkers/pipeline/plan_kernel.h"

namespace tilesim::checkers::pipeline {

// Why it was not shown that pitches are legal at all sizes. Legality asks for
// multiples of a power of 2, and is checked for all remainders of each
// parameter by itself (SizesBeside). That says nothing where a parameter is
// divided by something else than a small power of 2 or compared with something,
// nor where quotients or remainders of two parameters are multiplied; unless a
// constant that is multiplied with makes it legal (64 + M / 1024 * 8 of f16).
std::vector<std::string> PitchesNotShown(const KernelPlan& plan);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PITCHES_H_
