// Runs points of a sweep: the program with given constants and parameters on
// the modelled GPU.
#ifndef TILESIM_CLI_SWEEP_RUN_POINT_H_
#define TILESIM_CLI_SWEEP_RUN_POINT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/sweep/point.h"
#include "ir/bind.h"
#include "ir/diagnostic.h"
#include "sim/arch/arch.h"

namespace tilesim::cli {

struct PointOptions {
  bool check = false;      // the verifier first
  bool values = false;     // compute some CTAs' values, and compare them
  int64_t max_cycles = 0;  // 0: no limit
};

// Nothing: `stop` became true. May be called by several threads.
std::optional<Point> RunPoint(const ir::Source& source,
                              const ir::Overrides& defines,
                              const arch::Arch& arch,
                              const PointOptions& options,
                              const std::atomic<bool>& stop);

// Each number on one of `jobs` threads. `shown` is called on this thread, many
// times a second, with what is done so far. The answers are in the order of the
// numbers; those that `stop` ended are left out. Throws what `run` throws.
std::vector<Point> RunPoints(
    const std::vector<int64_t>& numbers, int jobs,
    const std::function<std::optional<Point>(int64_t number)>& run,
    const std::function<void(size_t done)>& shown);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_RUN_POINT_H_
