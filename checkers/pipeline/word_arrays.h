// Tensors of words of which each op says by a number where in a dimension its
// word lies, as a tensor for each such number:
//
//   red.add.release.gpu Count[0], 1       ..   red.add.release.gpu Count[1], 1
//   st.release.gpu Flag[0, cta.x], 1      ..   st.release.gpu Flag[1, cta.x], 1
//
// That they lie beside each other nobody sees. Barriers of the grid are words
// of tensors of their own (run/grid_barrier.h).
#ifndef TILESIM_CHECKERS_PIPELINE_WORD_ARRAYS_H_
#define TILESIM_CHECKERS_PIPELINE_WORD_ARRAYS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// Bits that an element has at least by which CTAs talk.
inline constexpr int kWordBits = 32;

// Of those that `may` lets through, by declaration, and that are zeros at
// first. `defines`: of constants. False: there is none.
bool SplitWords(const ir::Overrides& defines,
                const std::function<bool(const ir::Decl&)>& may,
                ir::Kernel& kernel);

// Of several kernels no other has the tensor.
bool IsOfOne(const ir::Program& program, const std::string& name);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WORD_ARRAYS_H_
