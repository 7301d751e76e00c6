// One order in which clusters of a kernel run, for their values: strands take
// turns, an operation each, and an asynchronous one is done as soon as it may
// be. Clusters start in ascending order: the next one when those before have
// ended, or do nothing but ask for what nobody has written yet.
#ifndef TILESIM_PTX_VALUES_SCHEDULE_H_
#define TILESIM_PTX_VALUES_SCHEDULE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "ir/diagnostic.h"
#include "sim/machine/machine.h"

namespace tilesim::ptx {

struct ScheduleOptions {
  std::vector<int64_t> clusters;  // ascending
  // How many may run at once, at most.
  int64_t resident = 132;
  const std::atomic<bool>* stop = nullptr;
  // Each strand executes at most so many operations after the last cluster has
  // started; 0: no limit. A cycle has at most one.
  int64_t max_rounds = 0;
  std::function<void(int64_t done, int64_t all)> progress;
};

struct Scheduled {
  bool finished = false;
  bool stopped = false;   // by `stop`
  bool too_long = false;  // by `max_rounds`
  int64_t ctas = 0;       // that have ended
  // Why it has not finished, where nothing else says so.
  std::vector<ir::Diagnostic> deadlock;
};

// `machine` has one kernel.
Scheduled RunClusters(machine::Machine& machine,
                      const ScheduleOptions& options);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_SCHEDULE_H_
