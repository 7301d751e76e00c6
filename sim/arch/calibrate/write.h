// The data file of an architecture, from readings and from what is known of it
// otherwise.
#ifndef TILESIM_SIM_ARCH_CALIBRATE_WRITE_H_
#define TILESIM_SIM_ARCH_CALIBRATE_WRITE_H_

#include <string>
#include <vector>

#include "sim/arch/arch.h"
#include "sim/arch/calibrate/readings.h"

namespace tilesim::arch {

struct Calibrated {
  std::string text;  // as ParseArch reads it
  int from_readings = 0;
  // Parameters with a rule whose readings are not there: as `base` has them.
  std::vector<std::string> kept;
};

// Parameters with a rule (rules.h) are what the readings say, rounded to four
// digits; all others are as `base` has them, with their sources. `name` is the
// new architecture's.
Calibrated Calibrate(const Readings& readings, const Arch& base,
                     const std::string& name);

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_CALIBRATE_WRITE_H_
