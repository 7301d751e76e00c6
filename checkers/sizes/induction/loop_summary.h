// A loop of a run, as one iteration of it and how often that happens: what the
// larger members of a family do more than the run.
//
//   turns [begin, end) of the run's scheduler, `iterations` times more
//
// A summary is a hypothesis until an inductive run has shown it.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SUMMARY_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SUMMARY_H_

#include <cstdint>
#include <set>
#include <utility>

#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::induction {

// A scalar of a state: of the how-manieth of StrandsOf, which slot.
using ScalarName = std::pair<int32_t, int32_t>;

struct LoopSummary {
  int64_t begin = 0;  // turns of an iteration
  int64_t end = 0;
  algebra::Polynomial iterations;
  state::Rotation rotation;  // by one iteration, in this run
  // Scalars that are not the same in every iteration, nor move on by the same:
  // they may be anything, and had better decide nothing.
  std::set<ScalarName> havoc;

  int64_t length() const { return end - begin; }
  // The first turn of the iteration before: what an iteration does to scalars
  // is read off there.
  int64_t first() const { return begin - length(); }

  friend bool operator==(const LoopSummary&, const LoopSummary&) = default;
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_LOOP_SUMMARY_H_
