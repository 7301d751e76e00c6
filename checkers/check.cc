#include "checkers/check.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkers/pipeline/counted_words.h"
#include "checkers/pipeline/dynamic_tiles.h"
#include "checkers/pipeline/flag_steps.h"
#include "checkers/pipeline/grown_words.h"
#include "checkers/pipeline/judge_between_kernels.h"
#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/leader_words.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plain_form.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/side_by_side.h"
#include "checkers/pipeline/turn_words.h"
#include "checkers/pipeline/unread_atomics.h"
#include "checkers/pipeline/unrolled_waits.h"
#include "checkers/pipeline/within_room.h"
#include "checkers/pipeline/words_at_zero.h"
#include "checkers/pipeline/written_waits.h"

namespace tilesim::checkers {

namespace {

CheckReport AsWritten(const ir::Program& program, const CheckOptions& options) {
  pipeline::Judging judging(program, options);
  std::vector<pipeline::Part> parts;
  pipeline::WithinRoom(parts, [&] {
    for (size_t i = 0; i < program.kernels.size(); ++i) {
      parts.push_back(
          JudgeKernel(pipeline::PlanKernel(program, i, options), judging));
    }
    std::vector<pipeline::Part> between = JudgeBetweenKernels(parts, judging);
    std::move(between.begin(), between.end(), std::back_inserter(parts));
  });
  return ReportOf(parts, options);
}

// Pitches of the same tensors are asked about in the kernel of all tiles.
bool IsCleanButPitches(const CheckReport& fewer) {
  const bool only =
      std::all_of(fewer.open.begin(), fewer.open.end(), [](const auto& why) {
        return why.find(" elements are a legal pitch of ") != std::string::npos;
      });
  return fewer.verdict == Verdict::kClean ||
         (fewer.verdict == Verdict::kIncomplete && only && !fewer.open.empty());
}

CheckReport InPlainForm(const ir::Program& program,
                        const CheckOptions& options);

// Incomplete: nothing is shown of the program that it was made of. Words of
// which not all are shown to be set leave the verdict open by themselves, as
// results do that are not stored whole: here none is left out.
CheckReport WithThem(const pipeline::WordsAtZero& zero,
                     const CheckOptions& options) {
  CheckReport out = InPlainForm(zero.program, options);
  for (const std::string& words : zero.set) {
    const auto whole = out.scope.whole.find(words);
    const bool is_set = whole != out.scope.whole.end() &&
                        whole->second.where != pipeline::Whole::Where::kNowhere;
    if (!is_set) out.verdict = Verdict::kIncomplete;
    if (is_set) out.scope.whole.erase(whole);
  }
  return out;
}

// What is told is told of the program as it is written: a schedule names what
// its threads execute.
CheckReport CheckPlain(const ir::Program& program,
                       const CheckOptions& options) {
  CheckReport out = AsWritten(program, options);
  if (out.verdict != Verdict::kIncomplete) return out;
  if (const auto zero = pipeline::WithWordsAtZero(program)) {
    CheckReport with = WithThem(*zero, options);
    if (with.verdict == Verdict::kIncomplete) return out;
    if (with.verdict == Verdict::kClean)
      with.findings = std::move(out.findings);
    return with;
  }
  std::optional<ir::Program> other = pipeline::WithWaits(program);
  auto reductions = pipeline::WithReductions(other ? *other : program);
  if (reductions) other = std::move(reductions);
  auto counted = pipeline::WithAFlagForEachCount(other ? *other : program,
                                                 options.defines);
  if (counted) other = std::move(counted);
  auto led =
      pipeline::WithWaitsOfAll(other ? *other : program, options.defines);
  if (led) other = std::move(led);
  auto waits =
      pipeline::WithWaitsWrittenOut(other ? *other : program, options.defines);
  if (waits) other = std::move(waits);
  auto grown = pipeline::WithAWordForEachValue(other ? *other : program,
                                               options.defines);
  if (grown) other = std::move(grown);
  auto steps =
      pipeline::WithFlagsOfSteps(other ? *other : program, options.defines);
  if (steps) other = std::move(steps);
  auto turns = pipeline::WithFlagsOfTurns(other ? *other : program);
  if (turns) other = std::move(turns);
  pipeline::DynamicTiles tiles =
      pipeline::WithTilesInTurn(other ? *other : program, options.defines);
  if (tiles.program) other = std::move(tiles.program);
  if (!other) return out;
  if (tiles.fewer && !IsCleanButPitches(AsWritten(*tiles.fewer, options)))
    return out;
  CheckReport with = AsWritten(*other, options);
  if (with.verdict != Verdict::kClean) return out;
  with.findings = std::move(out.findings);
  with.scope.assumed.small_sizes |= tiles.small_sizes;
  with.scope.assumed.few_tiles |= tiles.few_tiles;
  return with;
}

CheckReport InPlainForm(const ir::Program& program,
                        const CheckOptions& options) {
  const auto plain = pipeline::InPlainForm(program, options.defines);
  return CheckPlain(plain ? *plain : program, options);
}

// What was not shown may be wrong.
void FindInSmallGrids(const ir::Program& program, const CheckOptions& options,
                      CheckReport& out) {
  std::vector<pipeline::Part> found;
  found.push_back(pipeline::FindSideBySide(program, options));
  if (!found[0].findings.has_errors()) return;
  CheckReport wrong = ReportOf(found, options);
  std::vector<report::Finding>& all = wrong.findings;
  std::move(out.findings.begin(), out.findings.end(), std::back_inserter(all));
  out.findings = std::move(all);
  out.verdict = Verdict::kFindings;
}

}  // namespace

CheckReport Check(const ir::Program& program, const CheckOptions& options) {
  CheckReport out = InPlainForm(program, options);
  if (out.verdict == Verdict::kIncomplete && !out.errors.has_errors())
    FindInSmallGrids(program, options, out);
  return out;
}

}  // namespace tilesim::checkers
