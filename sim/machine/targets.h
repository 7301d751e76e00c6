// Whose copy of an operand an effect means: the CTAs of a cluster have one each
// of every mbarrier, shared tile and tensor memory tile.
#ifndef TILESIM_SIM_MACHINE_TARGETS_H_
#define TILESIM_SIM_MACHINE_TARGETS_H_

#include <bit>
#include <cstdint>

#include "ir/concrete.h"
#include "ir/effect.h"

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

// `size`: of the cluster. `only`: the one rank that a multicast agent serves.
inline Ranks RanksMeant(const ir::Effect& e, const ir::ConcreteOp& op, int size,
                        int only = kAnyRank) {
  uint32_t all = (uint32_t{1} << size) - 1;
  if (e.ranks != 0)
    return Ranks(e.ranks & all &
                 (only == kAnyRank ? all : uint32_t{1} << only));
  const ir::OperandValue& o = op.operands[e.operand];
  bool barrier = o.kind == ir::OperandValue::Kind::kBarrier;
  int8_t named = barrier ? o.barrier.cta : o.tile.cta;
  return Ranks(all & uint32_t{1}
                         << (named == ir::kOwnCta ? op.cluster_rank : named));
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_TARGETS_H_
