// Whether threads read each answer of cluster launch control, once and in the
// order of the requests: then what an answer hands out is known to all who do
// its work.
#ifndef TILESIM_CHECKERS_RUN_ANSWERS_READ_H_
#define TILESIM_CHECKERS_RUN_ANSWERS_READ_H_

#include <cstdint>
#include <set>

#include "checkers/run/log.h"

namespace tilesim::checkers::run {

// Ops that query answers (indices into Code::ops) of which, in this run, not
// every warp that executes one has read the answers to requests 0, 1, 2, up to
// the last. A query that no warp executes is not among them.
std::set<int32_t> QueriesOutOfTurn(const Log& log);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_ANSWERS_READ_H_
