// `while t < end { .. t = t + step }`, `end > t`, `t <= end`, with an end and a
// step that the loop does not change: t is begin + n * step in iteration n, as
// in `for t in begin..end step step`.
#ifndef TILESIM_CHECKERS_GRID_COUNTED_WHILE_H_
#define TILESIM_CHECKERS_GRID_COUNTED_WHILE_H_

#include <cstdint>
#include <set>

#include "checkers/grid/accesses.h"
#include "checkers/grid/growth.h"
#include "checkers/grid/scalars.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

struct WhileLoop {
  const ir::Expr& condition;
  const std::set<int32_t>& set;  // slots that the loop sets
  const Growth& growth;
  const Scalars::Values& before;
};

// Completes `each`, an iteration of it, at whose begin the scalars are, if it
// is such a loop: it has a counter then.
void CountUp(const WhileLoop& loop, Terms& terms, Scalars& scalars,
             Access::Iteration& each);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_COUNTED_WHILE_H_
