// Tensor memory that two kernels want at the same time. A CTA of the later one
// may hold it and wait for the earlier kernel to end, of which a CTA on that SM
// has yet to get some: a deadlock that neither kernel has by itself. It cannot
// be where every CTA allocates before it triggers, so before the later kernel
// begins, or where the later one waits before it allocates.
#ifndef TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_
#define TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_

#include <vector>

#include "checkers/program/check.h"
#include "checkers/program/grid_order.h"
#include "ir/program.h"

namespace tilesim::checkers::program {

class LateAllocation : public Check {
 public:
  // `program` must outlive it.
  explicit LateAllocation(const ir::Program& program);

  void OnCluster(const ClusterRun& run, Conclusions out) override;
  void OnProgramEnd(Conclusions out) override;

 private:
  struct Kernel {
    bool allocates_when_triggered = false;
    bool allocates_before_wait = false;
  };

  const ir::Program& program_;
  GridOrder order_;
  std::vector<Kernel> kernels_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_LATE_ALLOCATION_H_
