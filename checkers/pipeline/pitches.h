// Pitches of tensors, and dimensions that have to be as large as something
// else, that sizes decide in a way of which no sample stands for all.
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
// nor where two parameters are multiplied, or `requires` leaves sizes out;
// unless it is a multiple whatever they are (64 + M / 1024 * 8 of f16). Nor
// does it of a dimension that an op takes whole, or that `computes` multiplies.
// Tensors of which ops name single elements alone have any pitch.
std::vector<std::string> LegalityNotShown(const KernelPlan& plan);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PITCHES_H_
