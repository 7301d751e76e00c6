// Which warps of a CTA make an access at one place: those execute it together,
// and have parts of the place that no size changes.
#ifndef TILESIM_CHECKERS_GRID_SAME_PLACE_H_
#define TILESIM_CHECKERS_GRID_SAME_PLACE_H_

#include <cstdint>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

enum class SamePlace : uint8_t {
  kAllWarps,
  kWarpsOfGroup,  // of each warpgroup
  kNoOthers,      // none, as far as is seen
};

// In the same iteration of each loop around it.
SamePlace WhoseSamePlace(const Accesses& accesses, const Access& access);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_SAME_PLACE_H_
