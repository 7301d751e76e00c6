// Threads that poll what nobody is left to change.
#ifndef TILESIM_CHECKERS_PIPELINE_POLLS_H_
#define TILESIM_CHECKERS_PIPELINE_POLLS_H_

#include <optional>

#include "checkers/report/findings.h"
#include "checkers/run/log.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// What is wrong with a run that ended so. nullopt: it did not, or somebody else
// may yet change the words: another kernel of the program, or whoever fills an
// input.
std::optional<ir::Diagnostic> PollsForEver(const run::Log& log,
                                           const ir::Program& program);

// Takes away that threads poll for ever what somebody else may yet change.
// Whether there were such findings.
bool DropPollsThatOthersMayEnd(const run::Log& log, const ir::Program& program,
                               report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_POLLS_H_
