// Histograms and the like: an input says which element of shared memory is
// meant, and decides nothing else.
//
//   global Expert : s32[T] in 0..15
//   shared bins : u32[16]
//   ld e, Expert[t]
//   red.add.relaxed.cta bins[e], 1
//   ...
//   if sum > 0 { red.add.relaxed.gpu Count[e], sum }
//
// Other kernels, that do what the kernel does, and more, whatever memory holds.
// What is right of those is right of the kernel (docs/all_sizes.md 3.15); what
// is wrong need not be.
#ifndef TILESIM_CHECKERS_PIPELINE_ANY_PLACES_H_
#define TILESIM_CHECKERS_PIPELINE_ANY_PLACES_H_

#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// In which what memory decides is no reduction: it is always made. False: there
// is none that it decides. `kernel`: a copy of that of `code`.
bool ReduceAlways(const machine::Code& code, ir::Kernel& kernel);

// In which an op on one element of shared memory that an input names is about
// all that it may name. False: there is no such op. `kernel` likewise, the only
// one of its program.
bool NameAnyPlace(const machine::Code& code, ir::Kernel& kernel);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_ANY_PLACES_H_
