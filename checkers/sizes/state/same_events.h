// When two stretches of a run are the same thing once more: the same ops by the
// same threads, with every ring of slots turned on by some slots.
//
// Compared is all that a judgement of the run can depend on. What is left out
// cannot change what is enabled, what is in order, or who accesses which memory
// of the cluster: places in global memory, of which every pair of accesses is
// judged at all sizes (docs/all_sizes.md 5.3), and numbers that change no
// effect.
#ifndef TILESIM_CHECKERS_SIZES_STATE_SAME_EVENTS_H_
#define TILESIM_CHECKERS_SIZES_STATE_SAME_EVENTS_H_

#include <cstdint>

#include "checkers/run/log.h"
#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::state {

// Whether `count` events from `later` on are those from `earlier` on once more,
// turned by `rotation`, which is found out as far as it is not known.
bool SameEvents(const run::Log& log, int32_t earlier, int32_t later,
                int32_t count, Rotation& rotation);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_SAME_EVENTS_H_
