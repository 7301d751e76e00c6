#include "checkers/pipeline/side_by_side.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_instance.h"
#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/pipeline/step_above.h"
#include "checkers/plan/instance.h"
#include "checkers/program/shared_control.h"
#include "checkers/run/control_memory.h"
#include "checkers/run/environment.h"
#include "ir/define.h"

namespace tilesim::checkers::pipeline {
namespace {

constexpr int64_t kMostSideBySide = 24;

// By words that other kernels do not write: what is in those at first is not
// known. A cluster that is handed out is not launched.
bool Talks(const ir::Program& program, const machine::Code& code) {
  return run::WritesGlobal(code) && !run::Requests(code) &&
         program::SharedControlOf(program, code).empty();
}

// The smallest, where several clusters are, a step above, the text's own.
std::vector<ir::Overrides> SmallSizes(const KernelPlan& plan,
                                      const CheckOptions& options,
                                      const ir::Overrides& smallest) {
  std::vector<ir::Overrides> out{smallest};
  for (const plan::Instance& i : plan::GridsOfSeveral(*plan.kernel, plan.sizes))
    out.push_back(i.sizes);
  std::vector<ir::Overrides> above = StepsAbove(plan, smallest);
  std::move(above.begin(), above.end(), std::back_inserter(out));
  for (const ir::Overrides& named : options.own_sizes) {
    ir::Overrides sizes = ir::DefinesOf(*plan.kernel, named);
    for (const auto& [name, value] : plan.sizes.defines) sizes[name] = value;
    out.push_back(std::move(sizes));
  }
  return out;
}

void FindIn(const KernelPlan& plan, const ir::Program& program,
            const CheckOptions& options, Part& out) {
  ir::Diagnostics ignored;
  const plan::Instances all =
      plan::ChooseInstances(*plan.kernel, plan.sizes, ignored);
  if (all.all.empty() || !Talks(program, *all.all.front().code)) return;
  const int64_t sms = all.all.front().code->bound.sm_count;
  std::set<ir::Overrides> tried;
  for (const ir::Overrides& sizes :
       SmallSizes(plan, options, all.all.front().sizes)) {
    const auto at = plan::InstanceAt(*plan.kernel, sizes, sms);
    if (!at || !tried.insert(at->sizes).second) continue;
    const int64_t ctas = at->code->bound.ctas();
    if (ctas < 2 || ctas > kMostSideBySide) continue;
    Judging judging(program, options);
    InstanceTask task{plan, *at, out.findings};
    task.together = true;
    out.findings.Merge(JudgeInstance(task, judging).part.findings);
    if (out.findings.has_errors()) return;
  }
}

}  // namespace

Part FindSideBySide(const ir::Program& program, const CheckOptions& options) {
  Part out;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    if (!out.findings.has_errors())
      FindIn(PlanKernel(program, i, options), program, options, out);
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline
