// Whose copy of an operand an effect means: the CTAs of a cluster have one each
// of every mbarrier, shared tile and tensor memory tile.
#ifndef TILESIM_SIM_MACHINE_TARGETS_H_
#define TILESIM_SIM_MACHINE_TARGETS_H_

#include <bit>
#include <cstdint>

#include "ir/concrete.h"
#include "ir/effect.h"
#include "ir/ops/modifiers.h"

namespace tilesim::machine {

inline constexpr int kAnyRank = -1;

// Ranks in a cluster, in ascending order.
class Ranks {
 public:
  class Iterator {
   public:
    explicit Iterator(uint32_t rest) : rest_(rest) {}
    int operator*() const { return std::countr_zero(rest_); }
    Iterator& operator++() {
      rest_ &= rest_ - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return rest_ != other.rest_;
    }

   private:
    uint32_t rest_;
  };

  // A bit each.
  explicit Ranks(uint32_t mask) : mask_(mask) {}

  Iterator begin() const { return Iterator(mask_); }
  Iterator end() const { return Iterator(0); }

 private:
  uint32_t mask_;
};

// Whether a multicast signals one CTA of each pair for both: that of the parity
// which the barrier's CTA has (PTX 9.7.9.27.1.2, .cta_group::2).
inline bool SignalsOneOfAPair(const ir::Effect& e, const ir::ConcreteOp& op) {
  using ir::ops::CtaGroup;
  return e.kind == ir::EffectKind::kCompleteTx && e.ranks != 0 &&
         op.op->FindChoice<CtaGroup>() == CtaGroup::kTwo;
}

// `size`: of the cluster. `only`: the one rank that a multicast agent serves.
inline Ranks RanksMeant(const ir::Effect& e, const ir::ConcreteOp& op, int size,
                        int only = kAnyRank) {
  uint32_t all = (uint32_t{1} << size) - 1;
  if (e.ranks != 0) {
    uint32_t ranks = e.ranks & all;
    if (only != kAnyRank) ranks &= uint32_t{1} << only;
    if (!SignalsOneOfAPair(e, op)) return Ranks(ranks);
    constexpr uint32_t kEven = 0x5555;
    const int8_t named = op.operands[e.operand].barrier.cta;
    const int by = named == ir::kOwnCta ? op.cluster_rank : named;
    const uint32_t pairs = (ranks | ranks >> 1) & kEven;
    return Ranks(pairs << (by & 1));
  }
  const ir::OperandValue& o = op.operands[e.operand];
  bool barrier = o.kind == ir::OperandValue::Kind::kBarrier;
  int8_t named = barrier ? o.barrier.cta : o.tile.cta;
  return Ranks(all & uint32_t{1}
                         << (named == ir::kOwnCta ? op.cluster_rank : named));
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_TARGETS_H_
