// All checkers over one run.
#ifndef TILESIM_CHECKERS_PAIRWISE_CHECK_RUN_H_
#define TILESIM_CHECKERS_PAIRWISE_CHECK_RUN_H_

#include "checkers/footprint/fragments.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::pairwise {

// Adds what is wrong in this run, whatever other schedules do.
void CheckRun(const run::Log& log, footprint::Fragments& fragments,
              report::Findings& findings);

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_CHECK_RUN_H_
