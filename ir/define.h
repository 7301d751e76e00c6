// -D NAME=VALUE: which kernel of a file takes it, and what the program is then.
//
//   Define(program, defines);      // before names are resolved
//   Bind(program.kernels[i], ParamsOf(program, i, defines), ...)
//
// A constant is replaced in the program, as if the text said so: whoever asks
// what it is, or what it depends on, finds that. Parameters are given to each
// kernel when it is bound.
#ifndef TILESIM_IR_DEFINE_H_
#define TILESIM_IR_DEFINE_H_

#include <cstddef>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::ir {

// Replaces the constants that `defines` names. True: there are some.
bool Define(Program& program, const Overrides& defines);

// Those of `defines` that are parameters or constants of `kernel`.
Overrides DefinesOf(const Kernel& kernel, const Overrides& defines);

// What to bind kernel `index` of a defined program with: those that are
// parameters of it. One that is nothing in the file, or that the program was
// not defined with, stays with the first kernel, whose binding reports it.
Overrides ParamsOf(const Program& program, size_t index,
                   const Overrides& defines);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_DEFINE_H_
