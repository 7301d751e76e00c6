#include "checkers/pipeline/judge_code.h"

#include <utility>

#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/practice.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

CheckReport CheckCode(const ir::Program& program,
                      std::unique_ptr<machine::Code> code,
                      const std::vector<std::string>& open,
                      const CheckOptions& options) {
  Judging judging(program, options);
  KernelPlan plan;
  plan.kernel = &program.kernels[0];
  plan::Instance instance;
  instance.code = std::move(code);
  InstanceResult result = JudgeInstance(
      {plan, instance, report::Findings(), false, false}, judging);
  Part part = std::move(result.part);
  part.open.AddAll(open);
  part.scope.all_sizes = false;
  part.scope.between = Between::kGridsRun;
  if (result.cut_grid > 0)
    part.open.Add(ir::Cat("of ", result.cut_grid, " clusters only ",
                          kMaxClusters, " were run"));
  for (report::Finding& f : part.findings.all()) {
    bool between = f.seen.cluster == report::Provenance::kBetweenClusters;
    f.every_schedule &= result.holds || !between;
  }
  for (const auto& check : judging.checks) check->OnKernelEnd();
  Part end;
  for (const auto& check : judging.checks)
    check->OnProgramEnd({end.findings, end.open});
  if (options.strict.count(kStrictPtx) == 0) AsInPractice(part.findings);
  std::vector<Part> parts;
  parts.push_back(std::move(part));
  parts.push_back(std::move(end));
  return ReportOf(parts, options);
}

}  // namespace tilesim::checkers::pipeline
