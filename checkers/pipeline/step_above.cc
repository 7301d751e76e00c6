#include "checkers/pipeline/step_above.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkers/pipeline/judge_kernel.h"
#include "checkers/pipeline/own_sizes.h"
#include "checkers/plan/instance.h"
#include "ir/walk.h"

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

namespace {

// Numbers that parameters are compared with, by slot.
void CollectCompared(const ir::Expr& e,
                     std::map<int32_t, std::set<int64_t>>& out) {
  using ir::ExprOp;
  static constexpr ExprOp kCompares[] = {ExprOp::kLt, ExprOp::kLe, ExprOp::kGt,
                                         ExprOp::kGe, ExprOp::kEq, ExprOp::kNe};
  for (ExprOp op : kCompares) {
    if (!ir::IsBinary(e, op)) continue;
    for (int i : {0, 1}) {
      if (e.args[1 - i].kind == ir::ExprKind::kInt)
        out[ir::SlotOf(e.args[i])].insert(e.args[1 - i].value);
    }
  }
  for (const ir::Expr& arg : e.args) CollectCompared(arg, out);
}

// Each parameter at a number that the text compares it with (`K >= 512 ? 4 :
// 1`), and two steps beyond: the kernel does something else from there on.
std::vector<ir::Overrides> WhereTheTextChanges(const KernelPlan& plan,
                                               const ir::Overrides& smallest) {
  constexpr size_t kMostChanges = 6;
  std::map<int32_t, std::set<int64_t>> compared;
  ir::Kernel kernel = *plan.kernel;
  ir::ForEachExpr(kernel, [&](ir::Expr& e) { CollectCompared(e, compared); });
  ir::ForEachStmt(kernel.body, [&](ir::Stmt& s) {
    ir::Stmt alone = s;
    alone.body.clear();
    alone.orelse.clear();
    ir::ForEachExpr(alone, [&](ir::Expr& e) { CollectCompared(e, compared); });
  });
  std::vector<ir::Overrides> out;
  for (const ir::Param& p : kernel.params) {
    if (plan.given.contains(p.name)) continue;
    for (int64_t number : compared[p.slot]) {
      const int64_t steps = std::max<int64_t>(0, number - p.low) / p.step;
      for (int64_t beyond : {0, 1, 2}) {
        ir::Overrides one = smallest;
        one[p.name] = p.low + (steps + beyond) * p.step;
        if (out.size() < kMostChanges) out.push_back(std::move(one));
      }
    }
  }
  return out;
}

}  // namespace

void FindAStepAbove(const KernelPlan& plan, const ir::Overrides& smallest,
                    int64_t sm_count, const Judging& judging, Part& part) {
  constexpr int64_t kMostStates = 2'000;
  CheckOptions options = judging.options;
  if (options.max_states == 0 || options.max_states > kMostStates)
    options.max_states = kMostStates;
  std::vector<ir::Overrides> all = StepsAbove(plan, smallest);
  std::vector<ir::Overrides> begins = WhereTheTextChanges(plan, smallest);
  std::move(begins.begin(), begins.end(), std::back_inserter(all));
  for (const ir::Overrides& sizes : all) {
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
