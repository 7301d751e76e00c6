// When two stretches of a run are the same thing once more: the same ops by the
// same threads, with every ring of slots turned on by some slots.
//
// Use number t of a ring of m slots is in slot t % m, in its turn t / m. Turned
// by n, it is what use t + n is now: slot (t + n) % m, in turn (t + n) / m. Of
// barriers, turns are phases.
#ifndef TILESIM_CHECKERS_SIZES_STATE_ROTATION_H_
#define TILESIM_CHECKERS_SIZES_STATE_ROTATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/run/log.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::sizes {

// What turns as one: an array of mbarriers of one CTA (by its rank in the
// cluster), an array of tiles of all of them.
int32_t RingsOf(const machine::Code& code);
int32_t RingOf(const machine::Code& code, int32_t decl, int32_t cta);
int32_t DeclOf(const machine::Code& code, int32_t ring);

// By ring; absent: not used, so far.
using Rotation = std::vector<std::optional<int64_t>>;

// Which declaration and which of its objects an mbarrier of a CTA is.
struct BarrierSlot {
  int32_t decl = -1;
  int64_t slot = 0;
};
BarrierSlot SlotOf(const machine::Code& code, int32_t barrier);

// Whether `count` events from `later` on are those from `earlier` on once more,
// turned by `rotation`, which is found out as far as it is not known. Positions
// in global memory, and numbers that change no effect, may differ.
bool SameEvents(const run::Log& log, int32_t earlier, int32_t later,
                int32_t count, Rotation& rotation);

// The same of states; scalars, and what is in no live slot, may differ.
bool SameState(const machine::Code& code, const machine::State& earlier,
               const machine::State& later, const Rotation& rotation);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_STATE_ROTATION_H_
