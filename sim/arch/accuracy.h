// How far the clock is from GPUs that were measured: errors of what the model
// says over what was measured, less one, in percent.
// Sources: of programs hwtests/dataset/accuracy.md, whose script writes
// accuracy.def; of programs that no mechanism was chosen by
// hwtests/dataset/unseen/README.md, whose script writes accuracy_unseen.def; of
// PTX tests/ptx/timing/results.md, whose script writes
// accuracy_ptx.def.
#ifndef TILESIM_SIM_ARCH_ACCURACY_H_
#define TILESIM_SIM_ARCH_ACCURACY_H_

#include <optional>
#include <string_view>

namespace tilesim::arch {

struct Accuracy {
  std::string_view arch;
  std::string_view gpu;   // which was measured
  int points = 0;         // that were measured
  double mean_time = 0;   // of absolute errors, of the time between events
  double worst_time = 0;  // with its sign
  struct Cycles {         // of an SM, where they were measured
    double mean = 0, worst = 0;
  };
  std::optional<Cycles> cycles{};
};

// Of programs. nullptr: nothing was measured on such a GPU.
const Accuracy* AccuracyOf(std::string_view arch);
// Of programs that it was not made with: `points` counts these.
const Accuracy* AccuracyOfUnseen(std::string_view arch);
// Of launches of PTX.
const Accuracy* AccuracyOfPtx(std::string_view arch);

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_ACCURACY_H_
