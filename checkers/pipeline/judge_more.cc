#include "checkers/pipeline/judge_more.h"

#include <utility>

#include "checkers/pipeline/any_places.h"
#include "checkers/pipeline/judge_kernel.h"
#include "checkers/plan/instance.h"

namespace tilesim::checkers::pipeline {
namespace {

// Reductions first: what decides about them may be what inputs name places of.
bool DoesMore(const KernelPlan& plan, const machine::Code& code,
              ir::Kernel& kernel) {
  const bool always = ReduceAlways(code, kernel);
  if (!always) return NameAnyPlace(code, kernel);
  const ir::BoundKernel& b = code.bound;
  const ir::Kernel reduces = kernel;
  auto with = plan::InstanceAt(reduces, plan.SizesOf(b), b.sm_count);
  if (with) NameAnyPlace(*with->code, kernel);
  return with.has_value();
}

// What is legal is asked of the kernel as it is: a range is no element.
Legality LegalityOf(const KernelPlan& plan, const Legality& legality) {
  if (!legality) return nullptr;
  return [&](const ir::BoundKernel& other, ir::Diagnostics& found) {
    ir::Diagnostics ignored;  // it is permitted where the other is
    auto bound =
        ir::Bind(*plan.kernel, plan.SizesOf(other), other.sm_count, ignored);
    if (bound) legality(*bound, found);
  };
}

}  // namespace

// docs/all_sizes.md 3.15.
std::optional<Part> JudgeMore(const KernelPlan& plan, const machine::Code& code,
                              Judging& judging) {
  ir::Kernel kernel = *plan.kernel;
  if (!DoesMore(plan, code, kernel)) return std::nullopt;
  KernelPlan more = plan;
  more.kernel = &kernel;
  CheckOptions options = judging.options;
  options.legality = LegalityOf(plan, judging.options.legality);
  Judging again(judging.program, options);
  Part part = JudgeKernel(more, again);
  const bool right = part.scope.all_sizes && part.open.empty() &&
                     !part.findings.has_errors() && !part.errors.has_errors();
  if (!right) return std::nullopt;
  judging.order = std::move(again.order);
  return part;
}

}  // namespace tilesim::checkers::pipeline
