// How many elements a thread moves at once between a register tile and memory.
#ifndef TILESIM_IR_VECTORS_H_
#define TILESIM_IR_VECTORS_H_

#include <cstdint>
#include <numeric>

#include "ir/layout.h"

namespace tilesim::ir {

inline constexpr int kMaxVectorBits = 128;

// The largest power of two of elements that divides n and fits an instruction.
inline int64_t WidestVector(int64_t n, int bits) {
  int64_t v = 1;
  while (v * 2 * bits <= kMaxVectorBits && n % (v * 2) == 0) v *= 2;
  return v;
}

// Neighbours along a row that one thread holds, of a tile of `cols` columns.
inline int64_t NeighboursOf(const FragmentLayout& f, int64_t cols) {
  if (cols == 1) return 1;
  if (f.fragment == Fragment::kBlocked)
    return std::gcd<int64_t>(f.vector, cols);
  if (f.fragment == Fragment::kRow) return cols;
  return 2;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_VECTORS_H_
