// A whole-program check: what clusters and kernels do to each other. It is
// shown every run of a cluster that was judged, the end of each grid, and the
// end of the program. One file pair each, listed in all_checks.cc.
#ifndef TILESIM_CHECKERS_PROGRAM_CHECK_H_
#define TILESIM_CHECKERS_PROGRAM_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkers/order/order.h"
#include "checkers/report/findings.h"
#include "checkers/report/reasons.h"
#include "checkers/run/log.h"
#include "checkers/run/words_used.h"
#include "ir/bind.h"
#include "ir/code.h"
#include "sim/machine/code.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::program {

// What a log is a run of.
struct KernelRun {
  size_t kernel = 0;     // of the program
  ir::Overrides sizes;   // every parameter, and the constants given
  std::string inputs;    // that decide control; "": none do
  int64_t sm_count = 0;  // of the GPU
};

// `order`: what all schedules have that have the accesses of the log; absent:
// no more than program order.
struct JudgedRun {
  const run::Log* log = nullptr;
  std::optional<order::Order::Kind> order;
};

// A cluster, or several that were run side by side, in one environment.
struct ClusterRun {
  const machine::Code& code;
  KernelRun of;
  // As in `of`, less what happens to this cluster alone: equal for all clusters
  // that can be in one grid.
  std::string grid_inputs;
  const machine::Inputs& inputs;  // of the grid
  // The clusters whose work it does, its own first.
  std::vector<int64_t> work;
  bool whole_grid = false;  // no other cluster runs beside it
  // One that stands for all schedules, or one for each order that they have;
  // empty: none is known to stand for them.
  std::vector<JudgedRun> runs;
};

// Its clusters that were to be run have been. What was shown of it before, in
// other clusters, counts as well.
struct GridRun {
  KernelRun of;  // `inputs`: ClusterRun::grid_inputs
  // Flags that are set in the end; null: that is not known.
  const run::GlobalWords* flags_set = nullptr;
};

// Where a check puts what it concludes.
struct Conclusions {
  report::Findings& findings;
  report::Reasons& open;  // why there may be more
};

class Check {
 public:
  virtual ~Check() = default;
  // That it reports; none: all it does is to leave a verdict open.
  virtual std::span<const ir::Code> codes() const { return {}; }
  virtual void OnCluster(const ClusterRun& /*run*/, Conclusions /*out*/) {}
  virtual void OnGrid(const GridRun& /*run*/, Conclusions /*out*/) {}
  // No more runs of this kernel come, but those that were wanted.
  virtual void OnKernelEnd() {}
  // What should be run besides, to see whether two kernels meet: one of them at
  // sizes that only the other was run at.
  virtual std::vector<KernelRun> Wanted() const { return {}; }
  // All was run. Findings say by themselves where they were seen.
  virtual void OnProgramEnd(Conclusions /*out*/) {}
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_CHECK_H_
