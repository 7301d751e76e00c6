// How busy the GPU is over time: samples of its units at equal distances, few
// enough to be drawn. A sample says which share of the time since the one
// before a unit served.
#ifndef TILESIM_SIM_TIMING_LOAD_H_
#define TILESIM_SIM_TIMING_LOAD_H_

#include <vector>

#include "sim/timing/stats.h"
#include "sim/timing/units.h"

namespace tilesim::timing {

class LoadLog {
 public:
  bool due(Cycle now) const { return now >= next_; }
  // Only looks.
  void Look(Cycle now, const std::vector<SmUnits>& sms, const ChipUnits& chip);
  // Once, at the end.
  std::vector<LoadSample> Samples() const;

 private:
  static constexpr size_t kMost = 1024;
  static constexpr Cycle kFirstStep = 64;
  // What units have served until then, in cycles of one unit.
  struct Served {
    Cycle at = 0;
    double tensor = 0, l2 = 0, hbm = 0;
  };
  Cycle step_ = kFirstStep;
  Cycle next_ = 0;
  std::vector<Served> served_;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_LOAD_H_
