// The rows of a box, as far as they lie inside the tensor.
#ifndef TILESIM_SIM_MACHINE_DATA_BOX_ROWS_H_
#define TILESIM_SIM_MACHINE_DATA_BOX_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "ir/bind.h"
#include "ir/concrete.h"

namespace tilesim::machine {

// Calls f(row of the box, element of the tensor, column of the box, count)
// for the part of each row that lies inside the tensor.
template <typename F>
void ForRows(const ir::TileValue& box, const ir::BoundDecl& d, F f) {
  int last = box.rank - 1;
  int64_t extent = box.cols(), start = last < 0 ? 0 : box.start[last];
  int64_t size = last < 0 ? 1 : d.shape[last];
  int64_t skip = std::clamp<int64_t>(-start, 0, extent);
  int64_t count = std::min(extent, size - start) - skip;
  for (int64_t r = 0; count > 0 && r < box.rows(); ++r) {
    int64_t rest = r, stride = size, element = start + skip;
    bool inside = true;
    for (int i = last - 1; i >= 0; --i) {
      int64_t at = box.start[i] + rest % box.extent[i];
      rest /= box.extent[i];
      inside &= at >= 0 && at < d.shape[i];
      element += at * stride;
      stride *= d.shape[i];
    }
    if (inside) f(r, element, skip, count);
  }
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_BOX_ROWS_H_
