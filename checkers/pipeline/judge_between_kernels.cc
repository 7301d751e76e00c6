#include "checkers/pipeline/judge_between_kernels.h"

#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/plan_kernel.h"

namespace tilesim::checkers::pipeline {
namespace {

std::vector<program::KernelRun> WantedBy(const Judging& judging) {
  std::vector<program::KernelRun> out;
  for (const auto& check : judging.checks) {
    for (program::KernelRun& run : check->Wanted())
      out.push_back(std::move(run));
  }
  return out;
}

}  // namespace

std::vector<Part> JudgeBetweenKernels(bool found, Judging& judging) {
  std::vector<Part> out;
  if (!found) {
    for (const program::KernelRun& wanted : WantedBy(judging)) {
      KernelPlan plan =
          PlanKernel(judging.program, wanted.kernel, judging.options);
      out.push_back(
          JudgeKernelAt(plan, wanted.sizes, wanted.sm_count, judging));
    }
  }
  Part& last = out.emplace_back();
  for (const auto& check : judging.checks)
    check->OnProgramEnd({last.findings, last.open});
  return out;
}

}  // namespace tilesim::checkers::pipeline
