// Runs in which something is repaired, and what is wrong in them.
#ifndef TILESIM_CHECKERS_CAUSE_REPAIRED_H_
#define TILESIM_CHECKERS_CAUSE_REPAIRED_H_

#include <cstddef>

#include "checkers/footprint/footprint.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::cause {

struct Repaired {
  run::Log log;
  report::Findings seen;
};

// What is wrong in a run.
report::Findings JudgeRun(const run::Log& log, footprint::Fragments& fragments);

bool IsError(const report::Finding& f);
size_t ErrorsIn(const report::Findings& findings);
// One such finding, of another code perhaps, in which ops have other numbers.
bool HasLike(const report::Findings& findings, const report::Finding& wanted);
// What a wrong number looks like. Other mistakes leave too many arrivals as
// well: one that nobody waits for.
bool IsOfNumbers(const report::Finding& f);

// Whether it comes to its end.
inline bool Ends(const run::Log& log) { return log.finished && !log.faulted; }

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_REPAIRED_H_
