// A barrier at which one CTA, the leader, waits for all and then sets a flag
// that the others wait for, as one at which all wait for all:
//
//   thread 0 {                                  thread 0 {
//     red.add.release.gpu Count[0], 1             red.add.release.gpu Count[0],
//     1 if cta.x == 0 {                             var n = 0
//       var n = 0                                 while n < grid.x { ld n, .. }
//       while n < grid.x { ld n, Count[0] }     }
//       st.release.gpu Go[0], 1
//     }
//     var go = 0
//     while go != 1 { ld.acquire.gpu go, Go[0] }
//   }
//
// likewise in the steps of a loop, or where the leader does not add.
// docs/all_sizes.md 3.10.
#ifndef TILESIM_CHECKERS_PIPELINE_LEADER_WORDS_H_
#define TILESIM_CHECKERS_PIPELINE_LEADER_WORDS_H_

#include <optional>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `defines`: of constants. nullopt: there is no such barrier.
std::optional<ir::Program> WithWaitsOfAll(const ir::Program& program,
                                          const ir::Overrides& defines);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_LEADER_WORDS_H_
