#include "checkers/pipeline/legality.h"

#include <string>

#include "ir/cat.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {
using report::Finding;
using report::Findings;
using report::Provenance;

bool JudgeLegality(const KernelPlan& plan, const Legality& legality,
                   const ir::BoundKernel& bound, Findings& findings) {
  ir::Diagnostics all;
  if (legality) legality(bound, all);
  for (const ir::Diagnostic& d : all.all()) {
    if (d.severity != ir::Severity::kError) continue;
    Finding* found = findings.Add(
        d.code, ir::Cat(d.span.line, ":", d.span.column, " ", d.message));
    if (found == nullptr) continue;
    found->diagnostic = d;
    found->seen = {plan.kernel->name, plan.SizesOf(bound), bound.sm_count,
                   Provenance::kBetweenClusters};
  }
  return !all.has_errors();
}

namespace {

// False: it is not permitted.
bool JudgeAt(const KernelPlan& plan, const Legality& legality,
             const ir::Overrides& sizes, int64_t sm_count, Findings& findings) {
  ir::Diagnostics ignored;
  auto bound = ir::Bind(*plan.kernel, sizes, sm_count, ignored);
  if (bound) JudgeLegality(plan, legality, *bound, findings);
  return bound.has_value();
}

}  // namespace

void JudgeLegalityBeside(const KernelPlan& plan, const Legality& legality,
                         const ir::Overrides& sizes, int64_t sm_count,
                         Findings& findings) {
  if (!legality) return;
  for (const ir::Param& p : plan.kernel->params) {
    for (const ir::Overrides& at : SizesBeside(plan, p, sizes)) {
      if (JudgeAt(plan, legality, at, sm_count, findings)) continue;
      for (const ir::Param& q : plan.kernel->params) {
        if (q.name == p.name) continue;
        for (const ir::Overrides& both : SizesBeside(plan, q, at))
          JudgeAt(plan, legality, both, sm_count, findings);
      }
    }
  }
}

}  // namespace tilesim::checkers::pipeline
