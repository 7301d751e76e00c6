#include "sim/arch/accuracy.h"

#include <algorithm>
#include <iterator>

namespace tilesim::arch {

const Accuracy* AccuracyOf(std::string_view arch) {
  static constexpr Accuracy kMeasured[] = {
#define ACCURACY(name, points, mean_time, worst_time, mean_cycles, \
                 worst_cycles)                                     \
  {name, points, mean_time, worst_time, mean_cycles, worst_cycles},
#include "sim/arch/accuracy.def"
#undef ACCURACY
  };
  const auto* at =
      std::find_if(std::begin(kMeasured), std::end(kMeasured),
                   [&](const Accuracy& a) { return a.arch == arch; });
  return at == std::end(kMeasured) ? nullptr : at;
}

}  // namespace tilesim::arch
