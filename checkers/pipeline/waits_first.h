// Whether kernels that may begin while others run wait for these before they
// come to memory of theirs.
#ifndef TILESIM_CHECKERS_PIPELINE_WAITS_FIRST_H_
#define TILESIM_CHECKERS_PIPELINE_WAITS_FIRST_H_

#include <cstdint>
#include <functional>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

using IsAsked = std::function<bool(const ir::Stmt& op)>;

// Wherever the block has an op that is asked for, its threads have executed
// griddepcontrol.wait.
bool WaitsFirst(const ir::Block& block, const IsAsked& asked,
                bool waited = false);

// Whether no kernel touches memory of another before that one is over, by the
// text: each programmatic one waits, unless it is the last in all of its
// threads, and in front of each op on a tensor that another kernel names; none
// allocates tensor memory. What kernels do to each other is then no question of
// sizes.
bool ComeOneByOne(const ir::Program& program);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_WAITS_FIRST_H_
