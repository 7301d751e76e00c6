// Texts in which a group of asynchronous operations is committed and waited for
// where nothing of that is: wgmma.commit_group and wgmma.wait_group 0 behind
// the products, or bulk.commit_group and bulk.wait_group 0 behind the stores.
#ifndef TILESIM_CHECKERS_CAUSE_GROUP_WAITS_H_
#define TILESIM_CHECKERS_CAUSE_GROUP_WAITS_H_

#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Of operations at those places: the commit alone, the wait alone behind the
// commit, both.
std::vector<Rewrite> GroupWaits(const machine::Code& code,
                                const std::vector<ir::Span>& places);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_GROUP_WAITS_H_
