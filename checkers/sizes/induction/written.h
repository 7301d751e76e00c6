// Which bytes of the slots of a ring have been used: where a ring is turned on,
// a later access finds the slot of another use. That makes no difference if the
// same has been done to both, or if all that was done is written over before
// anything looks.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_WRITTEN_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_WRITTEN_H_

#include <cstdint>

#include "checkers/run/log.h"

namespace tilesim::checkers::sizes::induction {

// Whether the first `count` events have written the same bytes of each slot of
// an array of tiles as of the slot `turned` further on. Tensor memory begins
// anew with each allocation.
bool WrittenAlike(const run::Log& log, int32_t count, int32_t decl,
                  int64_t turned);

// Whether events [first, end) write all bytes of an array of tiles that anybody
// has touched before. If so, what comes later is judged with those writes, and
// they with what came before: which slot it was no longer matters.
bool WrittenOver(const run::Log& log, int32_t first, int32_t end, int32_t decl);

// Whether [first, end) reads from an array of tiles by operations of which only
// an mbarrier says that they are over, each its own; or signals such an array
// of mbarriers by them. Nobody who knows one of them to be over need know those
// before, in other slots.
bool ReadOneByOne(const run::Log& log, int32_t first, int32_t end,
                  int32_t decl);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_WRITTEN_H_
