// control/unreached: what is written in a kernel and executed at no size. Where
// nothing of it is, the kernel was not checked at all: an error.
#ifndef TILESIM_CHECKERS_PIPELINE_UNREACHED_H_
#define TILESIM_CHECKERS_PIPELINE_UNREACHED_H_

#include "checkers/report/finding.h"
#include "checkers/report/findings.h"
#include "checkers/run/ops_run.h"
#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// `ops`: of runs that stand for all sizes and all schedules. A finding is made
// for each outermost block, or op, of which nothing was executed. Silent where
// a number that an op returns decides control: then other runs may come to
// more; and of blocks that constants alone switch off, since -D replaces these.
void JudgeUnreached(const ir::Kernel& kernel, const run::OpsRun& ops,
                    const report::Provenance& seen, report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_UNREACHED_H_
