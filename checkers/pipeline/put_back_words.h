// Words in which the CTAs of a kernel count, and which the last of them puts
// back to 0:
//
//   atom.add.acq_rel.gpu n, Count[cta.y], 1
//   if n == CTAS - 1 { st Count[cta.y], 0 }
//
#ifndef TILESIM_CHECKERS_PIPELINE_PUT_BACK_WORDS_H_
#define TILESIM_CHECKERS_PIPELINE_PUT_BACK_WORDS_H_

#include <cstdint>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Whether the kernel does nothing to the tensor but to draw numbers from it, by
// one op, and to store 0 where a number that was drawn is some other. That this
// is the last number is asked of runs (docs/all_sizes.md 3.14), and that all of
// the tensor is put back as that all of a result is stored (5.10).
bool CountsAndPutsBack(const ir::Kernel& kernel, int32_t decl);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PUT_BACK_WORDS_H_
