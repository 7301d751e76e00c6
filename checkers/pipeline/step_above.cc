#include "checkers/pipeline/step_above.h"

#include <iterator>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/own_sizes.h"
#include "checkers/plan/instance.h"

namespace tilesim::checkers::pipeline {

std::vector<ir::Overrides> StepsAbove(const KernelPlan& plan,
                                      const ir::Overrides& smallest) {
  std::vector<ir::Overrides> out, apart;
  ir::Overrides one = smallest, two = smallest;
  for (const ir::Param& p : plan.kernel->params) {
    const auto beside = SizesBeside(plan, p, smallest);
    if (beside.empty()) continue;
    out.push_back(beside[0]);
    one[p.name] = beside[0].at(p.name);
    two[p.name] = beside[beside.size() > 1 ? 1 : 0].at(p.name);
  }
  if (out.size() < 2) return out;
  for (const ir::Param& p : plan.kernel->params) {
    apart.push_back(two);
    apart.back()[p.name] = one[p.name];
  }
  out.push_back(std::move(one));
  std::move(apart.begin(), apart.end(), std::back_inserter(out));
  return out;
}

void FindAStepAbove(const KernelPlan& plan, const ir::Overrides& smallest,
                    int64_t sm_count, const Judging& judging, Part& part) {
  constexpr int64_t kMostStates = 2'000;
  CheckOptions options = judging.options;
  if (options.max_states == 0 || options.max_states > kMostStates)
    options.max_states = kMostStates;
  for (const ir::Overrides& sizes : StepsAbove(plan, smallest)) {
    const auto at = plan::InstanceAt(*plan.kernel, sizes, sm_count);
    if (!at || !FewClusters(*at->code)) continue;
    Judging here(judging.program, options);
    Part found = JudgeKernelAt(plan, sizes, sm_count, here);
    if (!found.findings.has_errors()) continue;
    part.findings.Merge(found.findings);
    return;
  }
}

}  // namespace tilesim::checkers::pipeline
