#include "checkers/check.h"

#include <iterator>
#include <vector>

#include "checkers/pipeline/judge_between_kernels.h"
#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"

namespace tilesim::checkers {

CheckReport Check(const ir::Program& program, const CheckOptions& options) {
  pipeline::Judging judging(program, options);
  std::vector<pipeline::Part> parts;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    parts.push_back(
        JudgeKernel(pipeline::PlanKernel(program, i, options), judging));
  }
  std::vector<pipeline::Part> between = JudgeBetweenKernels(parts, judging);
  std::move(between.begin(), between.end(), std::back_inserter(parts));
  return ReportOf(parts, options);
}

}  // namespace tilesim::checkers
