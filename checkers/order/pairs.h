// tcgen05.alloc, .dealloc and .relinquish_alloc_permit of a pair of CTAs: a
// warp of each CTA executes them together (hardware.md A.8), so both CTAs are
// there and execute the same ones in the same order.
#ifndef TILESIM_CHECKERS_ORDER_PAIRS_H_
#define TILESIM_CHECKERS_ORDER_PAIRS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checkers/order/order.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::order {

class Pairs {
 public:
  // `order` is the enforced one.
  Pairs(const Order& order, report::Findings& findings)
      : order_(order), findings_(findings) {}

  // After the order has finished the event.
  void After(int32_t event);
  void End();

 private:
  // One CTA's share of an instruction of the pair.
  struct Share {
    int32_t event = -1;
    ir::EffectKind kind = ir::EffectKind::kTmemAlloc;
    int32_t decl = -1;  // of relinquish: none
    int32_t nth = 0;    // of this kind and declaration in this CTA
    Mark mark;
    Clock clock;  // what its warp knows
  };
  using Shares = std::vector<Share>;

  void Allocates(int32_t event, int32_t peer);
  // The share of the other CTA; nullptr: there is none.
  static const Share* Other(const Share& share, const Shares& peer);
  void OneSided(const Share& share, int32_t peer);
  void Crossed(const Share& first, const Share& second, int32_t peer);
  static bool MayCross(const Share& a, const Share& b, const Share& other_a,
                       const Share& other_b);
  void CheckOrder(const Shares& shares, const Shares& peer);

  const Order& order_;
  report::Findings& findings_;
  std::map<int32_t, Shares> shares_;  // by CTA, in the order of the run
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_PAIRS_H_
