// Which bytes of the slots of a ring have been written: where a ring is turned
// on, a later read finds the slot of another use.
#ifndef TILESIM_CHECKERS_SIZES_WRITTEN_H_
#define TILESIM_CHECKERS_SIZES_WRITTEN_H_

#include <cstdint>

#include "checkers/run/log.h"

namespace tilesim::checkers {

// Whether the first `count` events have written the same bytes of each slot of
// an array of tiles as of the slot `turned` further on. Tensor memory begins
// anew with each allocation.
bool WrittenAlike(const Log& log, int32_t count, int32_t decl, int64_t turned);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_SIZES_WRITTEN_H_
