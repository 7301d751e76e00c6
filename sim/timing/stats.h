// What a timed run found out.
#ifndef TILESIM_SIM_TIMING_STATS_H_
#define TILESIM_SIM_TIMING_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/timing/cause.h"
#include "sim/timing/path.h"

namespace tilesim::timing {

struct WaitStats {
  std::string on;  // "mbarrier full", "wgmma group", "bar 1"
  double cycles = 0;
  int64_t count = 0;
  int64_t for_ever = 0;  // of them, that had not ended when the run stopped
  int op = -1;           // at which one of these waits
};

struct RoleStats {
  int kernel = 0;
  std::string name;
  int64_t warps = 0;  // of all CTAs, that executed something of it
  double cycles = 0;  // lifetimes added up
  double busy = 0;    // executing ops
  std::vector<WaitStats> waits;
};

// What strands waited for at one op, and the op that ended it: the last
// arrival, or the operation that completed. by_op -1: no op did (an exit).
struct OpWait {
  std::string on;
  int by_kernel = 0, by_op = -1;
  double cycles = 0;
  int64_t count = 0;
};

// One op of a kernel, over the whole run.
struct OpStats {
  int64_t executed = 0;      // by strands: once for each
  double busy = 0;           // cycles of them
  int64_t flights = 0;       // asynchronous operations that ended
  double flight_cycles = 0;  // from issue to end
  double bank_cycles = 0;    // of shared memory: Cost
  double least_bank_cycles = 0;
  std::vector<OpWait> waits;  // the longest first
};

struct UnitStats {
  std::string name;
  double busy = 0;               // fraction of the run, mean over SMs
  Cause cause = Cause::kTensor;  // what time on the path goes to it
};

// Bytes of the whole run.
struct MovedBytes {
  double hbm_read = 0, hbm_written = 0;
  double l2_hit = 0, l2_missed = 0;  // asked of L2, and there or not
  double l2_written = 0;
  double shared = 0;  // into and out of shared memory
  double l2() const { return l2_hit + l2_missed + l2_written; }
  double hbm() const { return hbm_read + hbm_written; }
};

// A CTA that ran, in the order of launches.
struct CtaRun {
  int16_t kernel = 0;
  int16_t sm = 0;
  int64_t linear = 0;
  Cycle start = 0;
  Cycle end = -1;  // -1: it never ended
};

// How busy the GPU was between `from` and the next sample: shares, 0 to 1.
struct LoadSample {
  Cycle from = 0;
  double tensor = 0, l2 = 0, hbm = 0;
};

struct KernelStats {
  std::string name;
  Cycle start = 0, end = 0;  // its first CTA's start, its last one's end
  int64_t ctas = 0;          // that ran
  std::vector<OpStats> ops;  // by Code::ops
};

struct RunStats {
  // First CTA's start to last one's end, or, if it did not come to that, to
  // where nothing happened any more.
  Cycle cycles = 0;
  double clock_mhz = 0;  // that the power limit leaves at this tensor load
  double time_us = 0;    // as events around the launch see it
  int64_t events = 0;
  int64_t ops = 0;
  int64_t ctas = 0;
  bool finished = false;  // false: deadlock, fault or interruption
  bool interrupted = false;
  bool too_long = false;             // EngineOptions::max_cycles
  bool faulted = false;              // a finding stopped a strand for good
  PathSums path;                     // critical path: adds up to `cycles`
  std::vector<PathStep> path_steps;  // as far back as it is kept in full
  std::vector<RoleStats> roles;
  std::vector<KernelStats> kernels;
  std::vector<UnitStats> units;
  std::vector<CtaRun> ctas_run;
  std::vector<LoadSample> load;
  MovedBytes moved;
};

// What bounds a run: the busiest unit if it is busy enough that little is to be
// had elsewhere, otherwise nothing but what the critical path waits for most.
struct Bound {
  Cause cause = Cause::kLaunch;
  bool by_unit = false;  // a unit is busy for kBoundShare and more
  std::string unit;      // by_unit: which
  double share = 0;      // of the run that the unit is busy; of the path
};
inline constexpr double kBoundShare = 0.6;
Bound BoundOf(const RunStats& stats);
// "HBM"; "latency (TMA)".
std::string Name(const Bound& bound);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_STATS_H_
