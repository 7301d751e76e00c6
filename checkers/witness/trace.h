// A run in words: who did what on which line, and what came of it.
//
//   for (const report::TraceStep& s : TraceOf(log)) ...
//     producer (warp 0), line 41: mbarrier.wait passes: phase -1 of `empty[0]`
#ifndef TILESIM_CHECKERS_WITNESS_TRACE_H_
#define TILESIM_CHECKERS_WITNESS_TRACE_H_

#include "checkers/report/trace_step.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::witness {

report::Trace TraceOf(const run::Log& log);

}  // namespace tilesim::checkers::witness

#endif  // TILESIM_CHECKERS_WITNESS_TRACE_H_
