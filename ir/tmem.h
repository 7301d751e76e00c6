// Tensor memory (hardware.md A.8): 128 lanes of 512 columns of 32 bits, and
// where tiles, the rows of an mma and scale factors lie in it.
#ifndef TILESIM_IR_TMEM_H_
#define TILESIM_IR_TMEM_H_

#include <cstdint>
#include <optional>
#include <span>

#include "ir/bind.h"
#include "ir/warp.h"

namespace tilesim::ir {

inline constexpr int kTmemLanes = 128;
inline constexpr int kTmemColumns = 512;
inline constexpr int kColumnBits = 32;
inline constexpr int kColumnBytes = kColumnBits / 8;
inline constexpr int64_t kTmemLaneBytes = kTmemColumns * kColumnBytes;

// Lanes that a warp reaches: of the quarter that its number in its warpgroup
// says.
inline constexpr int kQuarterLanes = kTmemLanes / kWarpgroupWarps;
constexpr int64_t FirstLaneOf(int64_t warp) {
  return warp % kWarpgroupWarps * kQuarterLanes;
}

// From one element of a lane to the next. An accumulator has a column an
// element, also of 16 bits; other tiles are packed. Its columns say which of
// the two a tile is.
inline int StepBits(const BoundDecl& tmem) {
  int bits = values::BitsOf(tmem.dtype);
  bool unpacked = bits == kColumnBits / 2 && tmem.rank > 0 &&
                  tmem.columns == tmem.shape[tmem.rank - 1];
  return unpacked ? kColumnBits : bits;
}

// First column of a pool, counting the pools in the order of the text: each has
// columns of its own, also where the hardware gives it those of one that was
// freed before.
int64_t PoolColumn(const BoundKernel& bound, int pool);
// Columns of all pools together: as many as an SM has, or more.
int64_t AllPoolColumns(const BoundKernel& bound);
// First column of the object that a box of tensor memory is in.
int64_t ObjectColumn(const BoundKernel& bound, const TileValue& box);

// --- mma ---------------------------------------------------------------------

// The rows of D (and of A) that one CTA of an mma holds.
enum class DataPath : uint8_t {
  kA,  // M = 256, two CTAs: as D on each
  kB,  // M = 128, two CTAs: 64 rows each, the right half of N in lanes 64-127
  kD,  // M = 128: lane m, column n
  kF,  // M = 64: rows 16*i .. 16*i+15 in lanes 32*i .. 32*i+15
};

// For `m` rows in all, over a pair or not; nullopt: no such mma.
constexpr std::optional<DataPath> DataPathOf(int64_t m, bool pair) {
  if (pair && m == 256) return DataPath::kA;
  if (pair && m == 128) return DataPath::kB;
  if (!pair && m == 128) return DataPath::kD;
  if (!pair && m == 64) return DataPath::kF;
  return std::nullopt;
}

// Lane of the CTA's row `m` for column `n` of `columns`.
constexpr int64_t LaneOf(DataPath path, int64_t m, int64_t n, int64_t columns) {
  if (path == DataPath::kF) return m / 16 * kQuarterLanes + m % 16;
  if (path == DataPath::kB) return m + (n >= columns / 2 ? kTmemLanes / 2 : 0);
  return m;
}

// Columns that one lane has of one row: of D, half with layout B.
constexpr int64_t LaneColumns(DataPath path, int64_t columns) {
  return path == DataPath::kB ? columns / 2 : columns;
}

// --- scale factors -----------------------------------------------------------

// Four along K share a column. Row r lies in lane r % 32 of each quarter, and
// in column r / 32; further fours follow behind the last row's column.
inline constexpr int kFactorsOfColumn = kColumnBytes;

constexpr bool IsScale(DType type) {
  return type == DType::kUE8M0 || type == DType::kUE4M3;
}
// Columns that four factors along K of so many rows take.
constexpr int64_t ScaleColumns(int64_t rows) {
  return (rows + kQuarterLanes - 1) / kQuarterLanes;
}

struct ScalePlace {
  int64_t lane;
  int64_t byte;  // of the lane, from the first of the scale factors
};
constexpr ScalePlace ScaleAt(int64_t row, int64_t block, int64_t rows) {
  int64_t column =
      block / kFactorsOfColumn * ScaleColumns(rows) + row / kQuarterLanes;
  return {row % kQuarterLanes,
          column * kColumnBytes + block % kFactorsOfColumn};
}

// What tcgen05.cp copies at once: four factors of 128 rows.
inline constexpr int kChunkRows = kTmemLanes;
inline constexpr int kChunkColumns = kChunkRows / kQuarterLanes;
inline constexpr int kChunkLaneBytes = kChunkColumns * kColumnBytes;
inline constexpr int kChunkBytes = kQuarterLanes * kChunkLaneBytes;

// Whether a tensor of that shape is such chunks: [rows / 128, factors / 4, 32,
// 4, 4], the last three of one chunk: lane, column, factor.
constexpr bool IsOfChunks(std::span<const int64_t> shape) {
  return shape.size() == 5 && shape[2] == kQuarterLanes &&
         shape[3] == kChunkColumns && shape[4] == kFactorsOfColumn;
}

}  // namespace tilesim::ir

#endif  // TILESIM_IR_TMEM_H_
