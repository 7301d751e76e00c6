#include "checkers/check.h"

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/pipeline/dynamic_tiles.h"
#include "checkers/pipeline/flag_steps.h"
#include "checkers/pipeline/judge_between_kernels.h"
#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/turn_words.h"
#include "checkers/pipeline/written_waits.h"

namespace tilesim::checkers {

namespace {

CheckReport AsWritten(const ir::Program& program, const CheckOptions& options) {
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

}  // namespace

// What is told is told of the program as it is written: a schedule names what
// its threads execute.
CheckReport Check(const ir::Program& program, const CheckOptions& options) {
  CheckReport out = AsWritten(program, options);
  if (out.verdict != Verdict::kIncomplete) return out;
  std::optional<ir::Program> other = pipeline::WithWaits(program);
  auto steps =
      pipeline::WithFlagsOfSteps(other ? *other : program, options.defines);
  if (steps) other = std::move(steps);
  auto turns = pipeline::WithFlagsOfTurns(other ? *other : program);
  if (turns) other = std::move(turns);
  pipeline::DynamicTiles tiles =
      pipeline::WithTilesInTurn(other ? *other : program, options.defines);
  if (tiles.program) other = std::move(tiles.program);
  if (!tiles.why.empty()) out.open.push_back(tiles.why);
  if (!other) return out;
  if (tiles.fewer &&
      AsWritten(*tiles.fewer, options).verdict != Verdict::kClean)
    return out;
  CheckReport with = AsWritten(*other, options);
  if (with.verdict != Verdict::kClean) return out;
  with.findings = std::move(out.findings);
  with.scope.assumed.small_sizes |= tiles.small_sizes;
  return with;
}

}  // namespace tilesim::checkers
