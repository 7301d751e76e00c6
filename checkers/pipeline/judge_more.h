// A kernel by another that does what it does, and more, whatever memory holds
// (any_places.h).
#ifndef TILESIM_CHECKERS_PIPELINE_JUDGE_MORE_H_
#define TILESIM_CHECKERS_PIPELINE_JUDGE_MORE_H_

#include <optional>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::pipeline {

// nullopt: there is none, or it was not shown to be right; what is wrong with
// it says nothing of the kernel. `code`: of the kernel, the only one of its
// program.
std::optional<Part> JudgeMore(const KernelPlan& plan, const machine::Code& code,
                              Judging& judging);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_JUDGE_MORE_H_
