// Whether what decides in a kernel is what its inputs hold at first.
#ifndef TILESIM_CHECKERS_PIPELINE_KEPT_INPUTS_H_
#define TILESIM_CHECKERS_PIPELINE_KEPT_INPUTS_H_

#include <cstddef>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Whether, of several kernels, no other stores to a tensor that has a domain,
// or of which kernel `index` loads scalars: they may be anything then.
bool NobodyElseStoresInputs(const ir::Program& program, size_t index);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_KEPT_INPUTS_H_
