// How far the clock is from GPUs that were measured: errors of what the model
// says over what was measured, less one, in percent.
// Source: hwtests/dataset/accuracy.md, whose script writes accuracy.def.
#ifndef TILESIM_SIM_ARCH_ACCURACY_H_
#define TILESIM_SIM_ARCH_ACCURACY_H_

#include <string_view>

namespace tilesim::arch {

struct Accuracy {
  std::string_view arch;
  int points = 0;          // that were measured
  double mean_time = 0;    // of absolute errors, of the time between events
  double worst_time = 0;   // with its sign
  double mean_cycles = 0;  // of SM cycles
  double worst_cycles = 0;
};

// nullptr: nothing was measured on such a GPU.
const Accuracy* AccuracyOf(std::string_view arch);

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_ACCURACY_H_
