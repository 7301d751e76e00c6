// Inputs of which one draw stands for all: their elements say where in global
// memory something lies and nothing else (run/places.h), and wherever that is,
// nothing goes wrong there. docs/all_sizes.md 3.12.
#ifndef TILESIM_CHECKERS_PIPELINE_PLACE_INPUTS_H_
#define TILESIM_CHECKERS_PIPELINE_PLACE_INPUTS_H_

#include <cstdint>
#include <set>

#include "checkers/grid/inside.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// By declaration. `inside`: what the solver shows of the kernel, which is the
// only one of its program.
std::set<int32_t> PlaceInputs(const machine::Code& code,
                              const std::set<grid::Side>& inside);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PLACE_INPUTS_H_
