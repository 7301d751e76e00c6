// The dependence window of an iteration: how far back in a run the events lie
// that it is judged with.
//
// An order says what happened before what. Whether that is enough is asked of
// pairs of events: of two that a barrier brings together, and of two accesses
// to a slot. If both of every pair lie within iterations that the run has had,
// a larger member asks nothing of its later iterations that was not asked of
// those.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_DEPENDENCE_WINDOW_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_DEPENDENCE_WINDOW_H_

#include <cstdint>

#include "checkers/run/log.h"
#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::induction {

// The first event that one of [begin, end) needs to know, of those that
// barriers and rounds went through since the phase before. A thread that has
// waited for the phase before knows what counted in it, so it need look no
// further back than to that wait.
int32_t WindowBegin(const run::Log& log, int32_t begin, int32_t end,
                    const state::Rotation& rotation);

// After how many iterations of [begin, end), each turned by `rotation`, what an
// op has done to a slot it does again: at least 1. Two accesses that lie
// further apart, one of them of these, have one of the same op between them,
// which does to the slot what the one did and is judged with the other, or with
// another such. Of accesses before and after all iterations that is not so
// (written.h).
int64_t ReuseDistance(const run::Log& log, int32_t begin, int32_t end,
                      const state::Rotation& rotation);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_DEPENDENCE_WINDOW_H_
