// Lanes that one lane speaks for.
#ifndef TILESIM_CHECKERS_CAUSE_WARP_SYNCS_H_
#define TILESIM_CHECKERS_CAUSE_WARP_SYNCS_H_

#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Texts with a `bar.warp.sync` in front of a block of one lane that arrives at
// an mbarrier for the warp, or behind one that waits for it.
std::vector<Rewrite> WarpSyncs(const machine::Code& code);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_WARP_SYNCS_H_
