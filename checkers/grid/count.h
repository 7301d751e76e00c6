// How often something is done: a constant times numbers that depend on sizes.
#ifndef TILESIM_CHECKERS_GRID_COUNT_H_
#define TILESIM_CHECKERS_GRID_COUNT_H_

#include <cstdint>
#include <vector>

#include "checkers/grid/terms.h"

namespace tilesim::checkers::grid {

struct Count {
  int64_t constant = 1;
  std::vector<Linear> factors;

  // `divisors`: what may be a factor of a sum.
  void Multiply(Terms& terms, const Linear& by,
                const std::vector<Linear>& divisors);
};

// Of one or more.
Count SumOf(Terms& terms, std::vector<Count> counts,
            const std::vector<Linear>& divisors);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_COUNT_H_
