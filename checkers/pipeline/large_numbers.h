// Whether some number of a kernel's text may pass the machine's 64 bits at a
// size that is permitted, where parameters without an end are below 2^31. What
// holds of all sizes is then said of those at which numbers fit; at others
// `run` and `check` say type/overflow (docs/all_sizes.md 7).
#ifndef TILESIM_CHECKERS_PIPELINE_LARGE_NUMBERS_H_
#define TILESIM_CHECKERS_PIPELINE_LARGE_NUMBERS_H_

#include "ir/bind.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// `code`: of the kernel, at any size. `given`: parameters that have one value.
// Numbers are bounded by the ends of what they are computed from, whatever
// guards and `requires` say besides; those that loops add up by how often these
// go round, which is taken to be less than 2^40.
bool MayPass64Bits(const machine::Code& code, const ir::Overrides& given);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_LARGE_NUMBERS_H_
