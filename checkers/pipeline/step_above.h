// Where the proof for all sizes stays open: what is wrong at sizes that no run
// need have had is told.
#ifndef TILESIM_CHECKERS_PIPELINE_STEP_ABOVE_H_
#define TILESIM_CHECKERS_PIPELINE_STEP_ABOVE_H_

#include <cstdint>
#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

// Each parameter a step above its smallest, all of them, and each while others
// are two steps above, so that work does not go into parts.
std::vector<ir::Overrides> StepsAbove(const KernelPlan& plan,
                                      const ir::Overrides& smallest);

// Adds to `part` what is found at the first of such sizes at which anything is.
void FindAStepAbove(const KernelPlan& plan, const ir::Overrides& smallest,
                    int64_t sm_count, const Judging& judging, Part& part);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_STEP_ABOVE_H_
