// Tiles of any rank are matrices to their layout: their last dimension is its
// columns, all others together its rows.
#ifndef TILESIM_IR_MATRIX_ROW_H_
#define TILESIM_IR_MATRIX_ROW_H_

#include <cstdint>

#include "ir/bind.h"
#include "ir/concrete.h"

namespace tilesim::ir {

// Row of the declared matrix that row `r` of a box of it is.
inline int64_t MatrixRow(const TileValue& box, const BoundDecl& decl,
                         int64_t r) {
  int64_t row = 0, stride = 1;
  for (int i = box.rank - 2; i >= 0; --i) {
    row += (box.start[i] + r % box.extent[i]) * stride;
    r /= box.extent[i];
    stride *= decl.shape[i];
  }
  return row;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_MATRIX_ROW_H_
