// Legality that sizes decide: row pitches, slices, counts of threads.
#ifndef TILESIM_CHECKERS_PIPELINE_LEGALITY_H_
#define TILESIM_CHECKERS_PIPELINE_LEGALITY_H_

#include <cstdint>

#include "checkers/pipeline/options.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/report/findings.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

// Whether the kernel is legal at these sizes; if not, why is a finding.
bool JudgeLegality(const KernelPlan& plan, const Legality& legality,
                   const ir::BoundKernel& bound, report::Findings& findings);

// The same at the sizes beside these (SizesBeside) that are permitted; those
// that are not permitted alone are tried together with another parameter.
void JudgeLegalityBeside(const KernelPlan& plan, const Legality& legality,
                         const ir::Overrides& sizes, int64_t sm_count,
                         report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_LEGALITY_H_
