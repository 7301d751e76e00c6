// Loops that lack a wait that a loop like them has.
#ifndef TILESIM_CHECKERS_CAUSE_WAITS_ELSEWHERE_H_
#define TILESIM_CHECKERS_CAUSE_WAITS_ELSEWHERE_H_

#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Texts in which a loop begins with a wait for a barrier of a declaration for
// which it has none, as another loop of a counter of the same name has it: the
// second of two producers that takes a stage again without asking whether it
// is free.
std::vector<Rewrite> WaitsAsElsewhere(const machine::Code& code);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_WAITS_ELSEWHERE_H_
