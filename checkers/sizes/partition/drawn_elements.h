// Inputs that decide control, element by element:
//
//   global Len : u32[1] in 0..K
//   ... ld n, Len[0] ...
//
// An element that is named by constants is a number that is the same all
// through a launch, and anything in its domain: a parameter.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_DRAWN_ELEMENTS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_DRAWN_ELEMENTS_H_

#include <vector>

#include "checkers/sizes/algebra/polynomial.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

// Makes parameters of those of `kernel`, which was made of the kernel of
// `code`, after its others. What is known of them is added to `known`
// (CoverOptions). False: there is none.
bool DrawElements(const machine::Code& code, ir::Kernel& kernel,
                  std::vector<algebra::Polynomial>& known);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_DRAWN_ELEMENTS_H_
