#include "ir/layout.h"

namespace tilesim::ir {
namespace {

// hardware.md A.7: D fragment of wgmma m64nN. Columns come in blocks of 8, of
// which each lane of a quad holds two neighbours; rows r and r + 8 of a warp's
// 16 share a lane.
FragmentPlace WgmmaPlace(int32_t row, int32_t col, bool column_vector) {
  int32_t warp = row / 16, r = row % 16;
  int32_t thread = warp * kWarpThreads + (r % 8) * 4;
  if (column_vector) return {thread, r / 8};
  return {thread + (col % 8) / 2, (col / 8) * 4 + (r / 8) * 2 + col % 2};
}

// PTX 9.7.14.5.8: accumulators of mma.sync m16n8, blocks of 16 rows outermost.
FragmentPlace MmaPlace(int32_t row, int32_t col, int32_t cols) {
  int32_t r = row % 16, block = row / 16;
  int32_t thread = (r % 8) * 4;
  if (cols == 1) return {thread, block * 2 + r / 8};
  int32_t element = block * (cols / 2) + (col / 8) * 4 + (r / 8) * 2 + col % 2;
  return {thread + (col % 8) / 2, element};
}

// A operand of m16n8k16, 16-bit: a0a1 row r, k 0-7; a2a3 row r+8; a4.. k 8-15.
FragmentPlace MmaAPlace(int32_t row, int32_t col, int32_t cols) {
  int32_t r = row % 16, k = col % 16;
  int32_t element = (row / 16) * (cols / 2) + (col / 16) * 8 + (k / 8) * 4 +
                    (r / 8) * 2 + k % 2;
  return {(r % 8) * 4 + (k % 8) / 2, element};
}

// B operand of m16n8k16, 16-bit, tile is N x K: b0b1 k 0-7, b2b3 k 8-15.
FragmentPlace MmaBPlace(int32_t row, int32_t col, int32_t cols) {
  int32_t k = col % 16;
  int32_t element =
      (row / 8) * (cols / 4) + (col / 16) * 4 + (k / 8) * 2 + k % 2;
  return {(row % 8) * 4 + (k % 8) / 2, element};
}

}  // namespace

int64_t SharedLayout::Offset(int64_t row, int64_t col) const {
  int64_t wide = panel_cols();
  int64_t offset =
      col / wide * panel_bytes() + row * pitch() + (col % wide) * bits / 8;
  return SwizzledOffset(swizzle, offset);
}

int64_t SharedLayout::alignment() const {
  return swizzle == Swizzle::kNone ? kTmaAlignment
                                   : kSwizzleRows * SpanOf(swizzle);
}

FragmentPlace FragmentLayout::Place(int32_t row, int32_t col) const {
  switch (fragment) {
    case Fragment::kWgmma:
      return WgmmaPlace(row, col, cols == 1);
    case Fragment::kMma:
      return MmaPlace(row, col, cols);
    case Fragment::kMmaA:
      return MmaAPlace(row, col, cols);
    case Fragment::kMmaB:
      return MmaBPlace(row, col, cols);
    case Fragment::kRow:
      return {row, col};
    case Fragment::kNone:
    case Fragment::kBlocked:
      break;
  }
  int64_t linear = static_cast<int64_t>(row) * cols + col;
  int64_t vec = linear / vector;
  return {static_cast<int32_t>(vec % threads),
          static_cast<int32_t>(vec / threads * vector + linear % vector)};
}

int32_t FragmentLayout::per_thread() const {
  if (fragment == Fragment::kRow) return cols;
  if (cols == 1 && lanes_per_row() == 4) return rows * 4 / threads;
  int64_t total = static_cast<int64_t>(rows) * cols;
  int64_t chunk = static_cast<int64_t>(threads) * vector;
  return static_cast<int32_t>((total + chunk - 1) / chunk * vector);
}

int32_t FragmentLayout::lanes_per_row() const {
  switch (fragment) {
    case Fragment::kWgmma:
    case Fragment::kMma:
      return 4;
    default:
      return 1;
  }
}

}  // namespace tilesim::ir
