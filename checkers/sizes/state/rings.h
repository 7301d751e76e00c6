// Rings: arrays of barriers or tiles whose objects are used one after the
// other, as the slots of a ring.
//
// Use number t of a ring of m slots is in slot t % m, in its turn t / m. Turned
// by n, it is what use t + n is now: slot (t + n) % m, in turn (t + n) / m. Of
// barriers, turns are phases.
#ifndef TILESIM_CHECKERS_SIZES_STATE_RINGS_H_
#define TILESIM_CHECKERS_SIZES_STATE_RINGS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::state {

// What turns as one: an array of mbarriers of one CTA (by its rank in the
// cluster), an array of tiles of all of them. All have numbers.
inline int32_t RingsOf(const machine::Code& code) {
  return static_cast<int32_t>(code.bound.decls.size() *
                              code.bound.cluster_size());
}
inline int32_t RingOf(const machine::Code& code, int32_t decl, int32_t cta) {
  auto decls = static_cast<int32_t>(code.bound.decls.size());
  bool barrier = code.bound.decls[decl].space == ir::Space::kMbarrier;
  return barrier ? cta * decls + decl : decl;
}
inline int32_t DeclOf(const machine::Code& code, int32_t ring) {
  return ring % static_cast<int32_t>(code.bound.decls.size());
}
inline int64_t SlotsOf(const machine::Code& code, int32_t decl) {
  return code.bound.decls[decl].objects;
}

// By how much each ring is turned; absent: not used, so far.
using Rotation = std::vector<std::optional<int64_t>>;

// Where what was in a slot is now, and how many rounds of the ring further.
struct TurnedSlot {
  int64_t slot = 0;
  int64_t rounds = 0;
};
TurnedSlot Turned(const machine::Code& code, const Rotation& rotation,
                  int32_t decl, int32_t cta, int64_t slot);

// Which declaration and which of its objects an mbarrier of a CTA is.
struct BarrierSlot {
  int32_t decl = -1;
  int64_t slot = 0;
};
BarrierSlot SlotOf(const machine::Code& code, int32_t barrier);

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_RINGS_H_
