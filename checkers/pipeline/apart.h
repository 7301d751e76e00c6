// What is judged besides a kernel, and when that is of use.
#ifndef TILESIM_CHECKERS_PIPELINE_APART_H_
#define TILESIM_CHECKERS_PIPELINE_APART_H_

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/kept_inputs.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/plan_kernel.h"

namespace tilesim::checkers::pipeline {

inline bool Decided(const Part& part) {
  return part.findings.has_errors() ||
         (part.scope.all_sizes && part.open.empty());
}

// Whether what the solver shows of all sizes holds whatever other kernels do.
// What kernels do to each other is seen in all runs of each, so of several that
// overlap the first are those that count. One that ends before the next begins
// does nothing to it.
inline bool MayAskMore(const KernelPlan& plan, const Judging& judging) {
  return plan.every_size() &&
         (judging.program.kernels.size() == 1 ||
          (!plan.overlaps &&
           NobodyElseStoresInputs(judging.program, plan.index)));
}

// What was judged by itself, with what its checks saw.
struct Apart {
  explicit Apart(const Judging& like) : judging(like.program, like.options) {}

  Judging judging;
  Part part;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_APART_H_
