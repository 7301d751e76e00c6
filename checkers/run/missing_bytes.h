// A phase that lacks bytes: who expects them, and which copies came.
#ifndef TILESIM_CHECKERS_RUN_MISSING_BYTES_H_
#define TILESIM_CHECKERS_RUN_MISSING_BYTES_H_

#include "checkers/run/log.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::run {

// Adds to a deadlock/missing-bytes of the run's end the ops that expect bytes
// in that phase, and those whose bytes count in it.
void ShowBytes(const Log& log, ir::Diagnostic& stuck);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_MISSING_BYTES_H_
