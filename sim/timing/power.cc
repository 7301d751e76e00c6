#include "sim/timing/power.h"

#include <algorithm>
#include <cmath>

namespace tilesim::timing {
namespace {

// Bytes a cycle of an SM whose tensor core is busy with tiles of 128 x 256.
constexpr double kLoadedFull = 48;

}  // namespace

double ClockMhz(const arch::Arch& a, const Load& load) {
  if (load.tensor <= 0) return a.clock_mhz;
  const double rest = 1 - load.tensor;
  const double at_once =
      std::min(a.wgmma_clock_mhz - load.tensor * a.clock_droop,
               a.tensor_clock_mhz + rest * a.clock_droop_full);
  const double clock = std::min(a.clock_mhz, at_once);
  const double us = load.cycles / clock;
  const double power = load.tensor * (1 - a.power_loads) +
                       load.loaded / kLoadedFull * a.power_loads;
  const double mean = power * us / (us + a.launch_rest);
  return std::min(clock,
                  a.sustained_clock_mhz * std::pow(mean, -a.power_exponent));
}

}  // namespace tilesim::timing
