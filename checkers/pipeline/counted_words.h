// Words in which some CTAs count, and that others wait for to be as many, as a
// flag for each who counts:
//
//   if cta.x < 6 { .. red.add.release.gpu Done[cta.y], 1 }
//   else { .. while n < 6 { ld.acquire.gpu n, Done[cta.y] } .. }
//
// Who waits is let go once all have counted, and comes after all of them.
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_COUNTED_WORDS_H_
#define TILESIM_CHECKERS_PIPELINE_COUNTED_WORDS_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `defines`: of constants. nullopt: there are no such words.
std::optional<ir::Program> WithAFlagForEachCount(const ir::Program& program,
                                                 const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_COUNTED_WORDS_H_
