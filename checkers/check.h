// The verifier: what is wrong with a program in any schedule, or that nothing
// is.
//
//   CheckOptions options;
//   options.defines["K"] = 512;
//   CheckReport report = Check(program, options);
//   for (const report::Finding& f : report.findings) ... f.diagnostic ...
//
// A pipeline of values (pipeline/):
//
//   PlanKernel           which sizes, on which GPU
//   JudgeKernel          a kernel at sizes that stand for all (sizes/), or some
//     JudgeInstance      the clusters of one instance, and against each other
//       JudgeCluster     one cluster in all its schedules (judge/)
//   JudgeBetweenKernels  kernels that may run at the same time
//   ReportOf             the parts as one report with a verdict
//
// report.scope says which sizes the verdict is about, and whether it holds for
// all interleavings (README.md).
#ifndef TILESIM_CHECKERS_CHECK_H_
#define TILESIM_CHECKERS_CHECK_H_

#include "checkers/pipeline/options.h"
#include "checkers/pipeline/verdict.h"
#include "ir/program.h"

namespace tilesim::checkers {

using pipeline::CheckOptions;
using pipeline::CheckReport;
using pipeline::CheckScope;
using pipeline::Legality;
using pipeline::Name;
using pipeline::Verdict;

CheckReport Check(const ir::Program& program, const CheckOptions& options);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECK_H_
