// Bounds of variables that follow from linear constraints one at a time: a
// quick look before integer points are searched for.
#ifndef TILESIM_CHECKERS_SOLVER_BOUNDS_H_
#define TILESIM_CHECKERS_SOLVER_BOUNDS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "checkers/solver/linear.h"

namespace tilesim::checkers::solver {

class Bounds {
 public:
  explicit Bounds(int variables) : of_(variables) {}

  // Takes in `l >= 0`, or `l == 0`. False: no integers are left.
  bool Natural(const Linear& l);
  bool Zero(const Linear& l) { return Natural(l) && Natural(-l); }
  // Whether a bound has changed since it was asked last.
  bool TakeChanged();
  // Whether the formula can hold, as far as each comparison tells by itself.
  bool MayHold(const Formula& f) const;

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  struct Range {
    int64_t low = -kNone, high = kNone;  // kNone: no bound
  };

  // The most that the terms of `l` but the one at `except` can be, with its
  // constant; kNone: no bound.
  __int128 Most(const Linear& l, size_t except) const;
  static constexpr __int128 kUnbounded = __int128{1} << 120;

  std::vector<Range> of_;
  bool changed_ = false;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_BOUNDS_H_
