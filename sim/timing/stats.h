// What a timed run found out.
#ifndef TILESIM_SIM_TIMING_STATS_H_
#define TILESIM_SIM_TIMING_STATS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/timing/cause.h"

namespace tilesim::timing {

struct WaitStats {
  std::string on;  // "mbarrier full", "wgmma group", "bar 1"
  double cycles = 0;
  int64_t count = 0;
};

struct RoleStats {
  std::string name;
  int64_t strands = 0;
  double cycles = 0;  // lifetimes added up
  double busy = 0;    // executing ops
  std::vector<WaitStats> waits;
};

struct UnitStats {
  std::string name;
  double busy = 0;  // fraction of the run, mean over SMs
};

struct RunStats {
  Cycle cycles = 0;      // first CTA's start to last one's end
  double clock_mhz = 0;  // that the power limit leaves at this tensor load
  double time_us = 0;    // as events around the launch see it
  int64_t events = 0;
  int64_t ops = 0;
  int64_t ctas = 0;
  bool finished = false;  // false: deadlock, fault or interruption
  bool interrupted = false;
  bool too_long = false;  // EngineOptions::max_cycles
  bool faulted = false;   // a finding stopped a strand for good
  Chain chain;            // critical path, by cause
  std::vector<RoleStats> roles;
  std::vector<UnitStats> units;
  double l2_hit_bytes = 0;
  double hbm_bytes = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_STATS_H_
