#include "sim/timing/power.h"

#include <algorithm>
#include <cmath>

namespace tilesim::timing {

double ClockMhz(const arch::Arch& a, double busy, double cycles) {
  if (busy <= 0) return a.clock_mhz;
  double at_once = a.tensor_clock_mhz * std::pow(busy, -a.power_exponent);
  double clock = std::min(a.wgmma_clock_mhz, at_once);
  double us = cycles / clock;
  double load = busy * us / (us + a.launch_rest);
  return std::min(clock,
                  a.sustained_clock_mhz * std::pow(load, -a.power_exponent));
}

}  // namespace tilesim::timing
