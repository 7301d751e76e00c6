// What a step of a strand, or a milestone of an operation in flight, has done
// to barriers, as the machine that did it records it.
#ifndef TILESIM_SIM_MACHINE_BARRIER_USE_H_
#define TILESIM_SIM_MACHINE_BARRIER_USE_H_

#include <compare>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ir/effect.h"

namespace tilesim::machine {

// An mbarrier between an init and its inval.
struct BarrierLife {
  int32_t cta = 0;  // slot
  int32_t index = 0;
  int32_t life = 0;  // Mbarrier::life

  friend auto operator<=>(const BarrierLife&, const BarrierLife&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const BarrierLife& b) {
    return H::combine(std::move(h), b.cta, b.index, b.life);
  }
};

// One effect on one mbarrier. A contribution of nothing is none, and a
// test_wait that does not pass has observed nothing.
struct BarrierUse {
  BarrierLife barrier;
  ir::EffectKind kind = ir::EffectKind::kWait;  // kArrive: also a kTrack's
  ir::Sem sem = ir::Sem::kWeak;
  ir::MemScope scope = ir::MemScope::kCta;
  bool scope_written = true;
  bool completes = false;  // the phase it counted in
  // Counted in (contributions), or observed (waits; -1: nothing completed
  // yet), by its full number.
  int64_t phase = 0;
  int64_t value = 0;  // arrivals or bytes in all; init: the count

  bool Is(ir::EffectTrait trait) const { return ir::Is(kind, trait); }
  // Whether it orders anything between CTAs of a cluster. Kernels that write
  // no scope mean it to (cluster/scope tells them).
  bool ForCluster() const {
    return scope >= ir::MemScope::kCluster || !scope_written;
  }
};
using BarrierUses = absl::InlinedVector<BarrierUse, 2>;

// The part that one op has in a round of a hardware barrier.
struct BarrierRound {
  ir::EffectKind kind;
  int8_t id = -1;  // kNamedArrive, kNamedSync: which
  // The round entered; kClusterWait: the one that comes next.
  uint32_t generation = 0;

  bool named() const { return id >= 0; }
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_BARRIER_USE_H_
