#include "sim/timing/power.h"

#include <algorithm>
#include <cmath>

namespace tilesim::timing {
namespace {

// Bytes a cycle of an SM whose tensor core is busy with tiles of 128 x 256.
constexpr double kLoadedFull = 48;
constexpr double kHbmFull = 16;     // of power_hbm
constexpr double kLeastMhz = 1e-3;  // that a clock can be set to

}  // namespace

double ClockMhz(const arch::Arch& a, const Load& load) {
  if (load.tensor <= 0) return a.clock_mhz;
  const double rest = 1 - load.tensor;
  const double at_once =
      std::min(a.wgmma_clock_mhz - load.tensor * a.clock_droop,
               a.tensor_clock_mhz + rest * a.clock_droop_full);
  // Whatever --set says, there is a clock.
  const double clock = std::clamp(at_once, kLeastMhz, a.clock_mhz);
  const double us = load.cycles / clock;
  const double power = load.tensor * a.power_products +
                       load.loaded / kLoadedFull * a.power_loads +
                       load.hbm / kHbmFull * a.power_hbm;
  const double mean = power * us / (us + a.launch_rest);
  return std::min(clock,
                  a.sustained_clock_mhz * std::pow(mean, -a.power_exponent));
}

}  // namespace tilesim::timing
