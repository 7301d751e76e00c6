// A look at sizes that need not be small: whether clusters of theirs go wrong,
// for less than it takes to judge them.
#ifndef TILESIM_CHECKERS_PIPELINE_OWN_SIZES_H_
#define TILESIM_CHECKERS_PIPELINE_OWN_SIZES_H_

#include <cstdint>
#include <vector>

#include "checkers/pipeline/judging.h"
#include "checkers/pipeline/plan_kernel.h"
#include "checkers/plan/instance.h"
#include "checkers/report/findings.h"
#include "ir/bind.h"

namespace tilesim::checkers::pipeline {

// The clusters to judge where the instance is illegal (the first), or one run
// of its first or of its last cluster does what no program may do, or does not
// come to its end: that one. Empty: nothing of that.
std::vector<int64_t> GoesWrong(const KernelPlan& plan,
                               const plan::Instance& instance,
                               Judging& judging);

// Of sizes that somebody names and that are not permitted.
void TellNotPermitted(const KernelPlan& plan, const ir::Overrides& sizes,
                      report::Findings& findings);

// Those that are run whole where not all sizes are covered: what goes wrong at
// the text's own is found then. Of cluster launch control fewer, as which
// clusters one is handed is tried as well.
bool FewClusters(const machine::Code& code);

// Whether the text's own sizes are run whole: so they are, too, where strides
// put elements of a tensor that is written at one place there, and then all
// clusters are named.
bool IsRunWhole(plan::Instance& instance, bool all_sizes);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_OWN_SIZES_H_
