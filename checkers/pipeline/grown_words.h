// Words that grow more than once, in text that is executed once, as several
// words:
//
//   thread 0 { red.add Bar[0], 1             red.add Bar#1[0], 1
//     var n = 0
//     while n < grid.x { ld n, Bar[0] } }    while n < grid.x { ld n, Bar#1[0]
//     }
//   ...
//   thread 0 { red.add Bar[0], 1             red.add Bar#2[0], 1
//     var n = 0
//     while n < 2 * grid.x { ld n, .. } }    while n < grid.x { ld n, Bar#2[0]
//     }
//
// and `st Done[cta.x], 1` .. `st Done[cta.x], 2` with `while f < 2`.
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_GROWN_WORDS_H_
#define TILESIM_CHECKERS_PIPELINE_GROWN_WORDS_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `defines`: of constants. nullopt: there are no such words.
std::optional<ir::Program> WithAWordForEachValue(const ir::Program& program,
                                                 const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_GROWN_WORDS_H_
