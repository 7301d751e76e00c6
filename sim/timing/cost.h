// What an op costs the strand that executes it, and when an asynchronous one
// reaches its milestones. One small function an op or an asynchronous unit.
#ifndef TILESIM_SIM_TIMING_COST_H_
#define TILESIM_SIM_TIMING_COST_H_

#include "ir/concrete.h"
#include "ir/effect.h"
#include "sim/arch/arch.h"
#include "sim/machine/code.h"
#include "sim/timing/units.h"

namespace tilesim::timing {

struct CostContext {
  const arch::Arch& arch;
  const ir::BoundKernel& bound;
  const ir::ConcreteOp& op;
  SmUnits& sm;
  ChipUnits& chip;
  double now;
  int16_t kernel;

  int warps() const { return op.threads.warps; }
  bool one_lane() const { return op.threads.lanes_per_warp() == 1; }
};

// Time the strand itself spends. `ready`: a register tile it wrote may be used
// this much later than that (0: at once).
struct Cost {
  double busy = 0;
  Cause cause = Cause::kIssue;
  double latency = 0;
};
Cost CostOf(const CostContext& context);

// When an operation in flight has read its sources and is done, and what the
// time in between went to.
struct Schedule {
  double read = 0;
  double done = 0;
  Chain chain;
};
Schedule ScheduleOf(const CostContext& context, int destination);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_COST_H_
