// Threads that poll what nobody is left to change.
#ifndef TILESIM_CHECKERS_PIPELINE_POLLS_H_
#define TILESIM_CHECKERS_PIPELINE_POLLS_H_

#include <optional>

#include "checkers/run/log.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// What is wrong with a run that ended so. nullopt: it did not, or somebody else
// may yet change the words: another kernel of the program, or whoever fills an
// input.
std::optional<ir::Diagnostic> PollsForEver(const run::Log& log,
                                           const ir::Program& program);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_POLLS_H_
