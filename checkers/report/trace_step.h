// The steps of a schedule in words: who did what on which line, and what came
// of it. witness/trace.h makes them of a log.
#ifndef TILESIM_CHECKERS_REPORT_TRACE_STEP_H_
#define TILESIM_CHECKERS_REPORT_TRACE_STEP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/effect.h"
#include "ir/span.h"

namespace tilesim::checkers::report {

struct TraceStep {
  std::string role;  // "producer", "warp 3"; of CTA 1, if there are several
  std::string who;   // "producer (warp 0)"
  int32_t cta = 0;
  int32_t warp = 0;        // first
  int32_t move = -1;       // of the path
  int32_t operation = -1;  // it is one's milestone; else -1
  ir::Milestone milestone = ir::Milestone::kIssue;
  bool stuck = false;  // it waits here, or in here, for ever
  // What it may have to wait for before it happens ("`full[0]`"), and what the
  // warp is inside of after it ("barrier 1"); empty: nothing.
  std::string waits_for, inside;
  int64_t round = 0;        // of the barrier it is inside of
  bool on_barrier = false;  // it looks at an mbarrier or changes one
  std::string op;           // mnemonic
  ir::Span span;
  std::string text;             // "mbarrier.wait passes: phase 2 of `full[1]`"
  std::vector<int32_t> issued;  // operations it started
};

using Trace = std::vector<TraceStep>;

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_TRACE_STEP_H_
