// Extents of matrix operands, as instructions count them.
#ifndef TILESIM_SIM_TIMING_EXTENTS_H_
#define TILESIM_SIM_TIMING_EXTENTS_H_

#include <algorithm>
#include <cstdint>

#include "ir/concrete.h"
#include "ir/layout.h"

namespace tilesim::timing {

// Parts of an SM with a scheduler, an ALU and a quarter of tensor memory each.
constexpr double kSubCores = 4;
// Cycles that a sub-core would need for mma.sync m16n8k16 at the rate of wgmma.
constexpr double kMmaSyncFull = 4;

// Instructions along K.
inline int64_t StepsAlongK(const ir::TileValue& a, int k) {
  int64_t bytes = int64_t{k} * values::BitsOf(a.dtype) / 8;
  return std::max<int64_t>(1, bytes / ir::kMmaBytes);
}

// Elements of one matrix row: K for a plain operand, rows for a transposed one.
inline int InnerExtent(const ir::TileValue& t) {
  return t.transposed ? t.rows() : t.cols();
}
inline int OuterExtent(const ir::TileValue& t) {
  return t.transposed ? t.cols() : t.rows();
}

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_EXTENTS_H_
