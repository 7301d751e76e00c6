// Whether an index, and a parity that is waited for, turn with their ring.
//
// A member of the family does to slot (s + w) % m what the run does to slot s,
// if its ring is turned by w more. So the index by which an op names the slot
// must be (s + w) % m for all values of the symbols; the two are remainders by
// m of polynomials, and equal if those differ by multiples of m. A barrier's
// phase is the round of the ring: where it wraps it is one further, so the
// parity must be that of (s + w) / m more phases. These are parities of
// quotients by m, and equal if what is divided differs by multiples of 2 m.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_RING_FOLLOWING_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_RING_FOLLOWING_H_

#include <cstdint>
#include <optional>

#include "checkers/sizes/algebra/symbolic.h"

namespace tilesim::checkers::sizes::induction {

// A number that should vary by multiples of `by`, and does not; 0: that should
// not vary at all.
struct Unfit {
  algebra::Polynomial number;
  int64_t by = 1;
};

struct Following {
  bool holds = false;
  std::optional<Unfit> unfit;  // it would hold if this were not
};

// A ring of so many slots that is turned further than in the run.
struct TurnedRing {
  const algebra::Polynomial& turned;
  int64_t slots = 1;

  // A slot that is named by a number is that one: then the ring must turn whole
  // rounds.
  Following FollowedBy(const algebra::Symbolic& index) const;
  // `slot`: in this run, of a barrier that `index` names.
  Following FollowedByParity(const algebra::Symbolic& index, int64_t slot,
                             const algebra::Symbolic& parity) const;
};

// The index of a[first, next], with so many in the second dimension; nullopt:
// it is no remainder.
std::optional<algebra::Symbolic> Flattened(const algebra::Symbolic& first,
                                           int64_t extent, int64_t next);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_RING_FOLLOWING_H_
