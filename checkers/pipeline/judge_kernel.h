// Second stage: one kernel, at sizes that stand for all permitted ones, or at
// some.
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGE_KERNEL_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGE_KERNEL_H_

#include <cstdint>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

Part JudgeKernel(const KernelPlan& plan, Judging& judging);

// Of inputs that decide: all values, or the verdict is open; or some are
// enough, as no others are asked about.
enum class Draws : uint8_t { kAll, kSome };

// At these sizes alone, if they are permitted; of parameters that they do not
// have, at the default.
Part JudgeKernelAt(const KernelPlan& plan, const ir::Overrides& sizes,
                   int64_t sm_count, Judging& judging,
                   Draws draws = Draws::kAll);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_KERNEL_H_
