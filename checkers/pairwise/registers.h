// Accesses to register tiles, warp by warp.
#ifndef TILESIM_CHECKERS_PAIRWISE_REGISTERS_H_
#define TILESIM_CHECKERS_PAIRWISE_REGISTERS_H_

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

// Calls f(effect, place, warp) for each register tile that the event's op
// touches and each of its warps.
template <typename F>
void ForRegisters(const run::Event& e, F f) {
  constexpr int32_t kMaxObjects = 1 << 16;
  for (const ir::Effect& effect : e.effects()) {
    if (!effect.Is(ir::kAccesses) || !e.concrete().is_tile(effect.operand))
      continue;
    const ir::TileValue& t = e.concrete().tile(effect.operand);
    if (t.space != ir::Space::kReg) continue;
    footprint::Place place{ir::Space::kReg, e.cta, 0,
                           t.decl * kMaxObjects + t.index};
    for (int w = 0; w < e.threads().warps; ++w) {
      place.warp = e.threads().first_warp + w;
      f(effect, place, place.warp);
    }
  }
}

inline bool IsWgmma(const run::Event& e) {
  return e.concrete().info().async == ir::AsyncUnit::kWgmma;
}

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_REGISTERS_H_
