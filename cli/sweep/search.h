// A search of a grid that is too large to run as a whole: coordinate descent.
//
// From a first point, one axis after the other: all its values are run with the
// others kept, and the best is where the next axis begins; of an axis with more
// than 16 values those 1, 2, 4, 8 ... places away. Where a round of all axes
// finds nothing better, it begins again at another point, far from those
// before, until the budget is spent. Deterministic: which points are run
// depends on the costs of those before alone.
#ifndef TILESIM_CLI_SWEEP_SEARCH_H_
#define TILESIM_CLI_SWEEP_SEARCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/sweep/grid.h"

namespace tilesim::cli {

// Points as a batch: the cost of each, the smaller the better, or nothing of
// one that cannot be ranked. An empty answer ends the search.
using CostsOf = std::function<std::vector<std::optional<double>>(
    const std::vector<int64_t>& points)>;

// Only points with a cost count for the budget; of others there are at most 20
// times as many.
struct SearchResult {
  int64_t looked_at = 0;  // points, those without a cost included
  int64_t with_cost = 0;
  int64_t starts = 0;
};
SearchResult DescendFrom(const Grid& grid, int64_t start, int64_t budget,
                         const CostsOf& costs_of);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SWEEP_SEARCH_H_
