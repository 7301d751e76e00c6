#include "checkers/pipeline/judge_code.h"

#include <utility>

#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/practice.h"
#include "checkers/pipeline/residency.h"
#include "checkers/pipeline/within_room.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {

namespace {

// Findings that are new were seen between clusters of that launch.
void Tell(const ir::Diagnostic& d, const machine::Code& code, Part& part) {
  report::Finding* f = part.findings.Add(d);
  if (f == nullptr) return;
  f->seen = {code.kernel().name,
             {},
             code.bound.sm_count,
             report::Provenance::kBetweenClusters};
}

Part JudgeLaunch(const ir::Program& program, size_t index,
                 const plan::Instance& instance, Judging& judging) {
  KernelPlan plan;
  plan.kernel = &program.kernels[index];
  plan.index = index;
  InstanceResult result = JudgeInstance(
      {plan, instance, report::Findings(), false, false}, judging);
  Part part = std::move(result.part);
  part.open.AddAll(result.draws);
  part.scope.all_sizes = false;
  part.scope.between = Between::kGridsRun;
  if (result.cut_grid > 0)
    part.open.Add(ir::Cat("of ", result.cut_grid, " clusters only ",
                          part.scope.clusters_checked, " were run"));
  for (report::Finding& f : part.findings.all()) {
    bool between = f.seen.cluster == report::Provenance::kBetweenClusters;
    f.every_schedule &= result.holds || !between;
  }
  Residency room = ResidencyAt(plan, instance, judging.options.max_events);
  if (room.stuck) Tell(*room.stuck, *instance.code, part);
  if (!room.stuck && !room.open.empty()) part.open.Add(room.open);
  part.scope.residents = room.assumed;
  for (const auto& check : judging.checks) check->OnKernelEnd();
  return part;
}

}  // namespace

CheckReport CheckCode(const ir::Program& program,
                      std::vector<std::unique_ptr<machine::Code>> codes,
                      const std::vector<std::string>& open,
                      const CheckOptions& options) {
  Judging judging(program, options);
  std::vector<plan::Instance> instances(codes.size());
  std::vector<Part> parts;
  WithinRoom(parts, [&] {
    for (size_t i = 0; i < codes.size(); ++i) {
      instances[i].code = std::move(codes[i]);
      parts.push_back(JudgeLaunch(program, i, instances[i], judging));
    }
    Part end;
    for (const auto& check : judging.checks)
      check->OnProgramEnd({end.findings, end.open});
    parts.push_back(std::move(end));
  });
  parts.emplace_back().open.AddAll(open);
  const bool letter = options.strict.count(kStrictPtx) != 0;
  for (Part& part : parts)
    letter ? ByTheLetter(part.findings) : AsInPractice(part.findings);
  return ReportOf(parts, options);
}

}  // namespace tilesim::checkers::pipeline
