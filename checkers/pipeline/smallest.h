// What was found, at sizes as small as show it.
#ifndef TILESIM_CHECKERS_PIPELINE_SMALLEST_H_
#define TILESIM_CHECKERS_PIPELINE_SMALLEST_H_

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::pipeline {

// Goes from the sizes of the first error, a parameter after another, to smaller
// ones that have it as well, as far as a few tries get. It is then told as it
// is there; so are others that are there too. Nothing is added or taken away.
void ShowAtSmallest(const KernelPlan& plan, const Judging& judging,
                    report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SMALLEST_H_
