// Words of global memory of which each step of a loop has its own, in all CTAs:
//
//   for t in 0..STEPS {
//     ...
//     thread 0 {
//       red.add.release.gpu Arrived[t], 1
//       while n < grid.x { ld.acquire.gpu n, Arrived[t] }
//     }
//
// All CTAs go around such a loop equally often, and in each step each of them
// sets its part, or its word, once, before it waits for any of the step. So by
// induction over the steps all are set (docs/all_sizes.md 3.6).
#ifndef TILESIM_CHECKERS_RUN_STEP_WORDS_H_
#define TILESIM_CHECKERS_RUN_STEP_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "ir/op.h"
#include "ir/program.h"

namespace tilesim::checkers::run {

struct StepWords {
  int32_t line = 0, column = 0;  // of the loop
  std::set<size_t> dims;         // indices that name the step
};

// Of a declaration that one op sets and others wait for. `by_all`: the other
// indices are the same in all CTAs. nullopt: the text does not say that it is
// so.
std::optional<StepWords> StepWordsOf(const ir::Kernel& kernel, int32_t decl,
                                     bool by_all);

// The loop there, in the kernel's own body: which all threads come to.
const ir::Stmt* LoopOf(const ir::Kernel& kernel, const StepWords& words);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_STEP_WORDS_H_
