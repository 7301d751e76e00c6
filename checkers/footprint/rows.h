// The rows of a box that some of its elements are in.
#ifndef TILESIM_CHECKERS_FOOTPRINT_ROWS_H_
#define TILESIM_CHECKERS_FOOTPRINT_ROWS_H_

#include <algorithm>

#include "checkers/footprint/interval_set.h"
#include "ir/concrete.h"

namespace tilesim::checkers::footprint {

// Calls f(row, first column, columns) for rows of the box that `elements`
// touch, columns within the box.
template <typename F>
void ForRows(const ir::TileValue& t, const IntervalSet& elements, F f) {
  int64_t cols = t.cols();
  for (const Interval& i : elements.intervals()) {
    for (int64_t at = i.begin; at < i.end;) {
      int64_t row = at / cols, col = at % cols;
      int64_t n = std::min(cols - col, i.end - at);
      f(row, col, n);
      at += n;
    }
  }
}

}  // namespace tilesim::checkers::footprint

#endif  // TILESIM_CHECKERS_FOOTPRINT_ROWS_H_
