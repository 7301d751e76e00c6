// Where a box starts, without numbers that overflow when something is added: a
// box this far outside its tensor is as far outside as any.
#ifndef TILESIM_SIM_MACHINE_START_H_
#define TILESIM_SIM_MACHINE_START_H_

#include <algorithm>
#include <cstdint>

namespace tilesim::machine {

inline int64_t ClampStart(int64_t start) {
  constexpr int64_t kFar = int64_t{1} << 40;
  return std::clamp(start, -kFar, kFar);
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_START_H_
