// How far back in a run the events lie that a stretch of it is judged with.
#ifndef TILESIM_CHECKERS_SIZES_DEPENDENCE_WINDOW_H_
#define TILESIM_CHECKERS_SIZES_DEPENDENCE_WINDOW_H_

#include <cstdint>

#include "checkers/run/log.h"
#include "checkers/sizes/rings.h"

namespace tilesim::checkers::sizes {

// The first event that one of [begin, end) needs to know, of those that
// barriers and rounds went through since the phase before. A thread that has
// waited for the phase before knows what counted in it.
int32_t WindowBegin(const run::Log& log, int32_t begin, int32_t end,
                    const Rotation& rotation);

// After how many repeats of [begin, end), each turned by `rotation`, what an op
// has done to a slot it does again: at least 1. Two accesses that lie further
// apart, one of them of these, have one of the same op between them, which does
// to the slot what the one did and is judged with the other, or with another
// such. Of accesses before and after all repeats that is not so (written.h).
int64_t ReuseDistance(const run::Log& log, int32_t begin, int32_t end,
                      const Rotation& rotation);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_DEPENDENCE_WINDOW_H_
