// A commit that stands before what it should stand behind: it closes a group in
// which nothing is, and the operation after it is in no group that anybody
// waits for.
#ifndef TILESIM_CHECKERS_PAIRWISE_EMPTY_COMMIT_H_
#define TILESIM_CHECKERS_PAIRWISE_EMPTY_COMMIT_H_

#include <cstdint>

#include "checkers/run/log.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pairwise {

// Points at such a commit of the threads that issue an operation (event
// `issue`) which is in flight at event `until`. Adds nothing if there is none.
void PointAtEmptyCommit(const run::Log& log, int32_t issue, int32_t until,
                        ir::Diagnostic& d);

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_EMPTY_COMMIT_H_
