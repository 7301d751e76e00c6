#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::state {

TurnedSlot Turned(const machine::Code& code, const Rotation& rotation,
                  int32_t decl, int32_t cta, int64_t slot) {
  int64_t slots = SlotsOf(code, decl);
  int64_t to = slot + rotation[RingOf(code, decl, cta)].value_or(0);
  // Rounded down: a ring may turn backwards.
  int64_t rounds = to / slots - (to % slots < 0 ? 1 : 0);
  return {to - rounds * slots, rounds};
}

BarrierSlot SlotOf(const machine::Code& code, int32_t barrier) {
  const auto& decls = code.bound.decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    int64_t slot = barrier - decls[i].place;
    if (decls[i].space == ir::Space::kMbarrier && slot >= 0 &&
        slot < decls[i].objects)
      return {static_cast<int32_t>(i), slot};
  }
  return {};
}

}  // namespace tilesim::checkers::sizes::state
