// What the iterations of a loop add to a scalar.
#ifndef TILESIM_CHECKERS_GRID_GROWTH_H_
#define TILESIM_CHECKERS_GRID_GROWTH_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/grid/scalars.h"
#include "checkers/grid/terms.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// An integer by the number of an iteration: `usual`, but for some of them.
struct ByIteration {
  struct Exception {
    Linear iteration, value;
  };
  Linear usual;
  std::vector<Exception> exceptions;  // of equal ones the last holds
};

// The sum of iterations 0 to iteration - 1.
Linear SumBefore(Terms& terms, Scalars& scalars, const ByIteration& each,
                 const Linear& iteration);

// A loop that is about to be entered: scalars have the values before it.
struct Loop {
  const ir::Block* body = nullptr;
  std::set<int32_t> set;  // slots that the loop sets
  // Its counter, where iteration t has low + t; -1: it has none.
  int32_t counter = -1;
  Linear low;
};

using Growth = std::map<int32_t, ByIteration>;  // by slot

// Scalars to which each iteration adds what is known before the loop, or what
// it adds by its number: `for n in 0..units`, where `units` is another in the
// first iteration than in the ones that follow.
Growth GrowthIn(const Loop& loop, Terms& terms, Scalars& scalars);

// How often a loop goes around whose counter goes up, if nothing leaves it.
Linear IterationsOf(Terms& terms, const Linear& low, const Linear& high,
                    const Linear& step);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_GROWTH_H_
