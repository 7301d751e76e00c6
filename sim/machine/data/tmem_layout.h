// Where the elements of A, D and of scale factors lie in tensor memory
// (hardware.md A.8).
#ifndef TILESIM_SIM_MACHINE_DATA_TMEM_LAYOUT_H_
#define TILESIM_SIM_MACHINE_DATA_TMEM_LAYOUT_H_

#include <cstdint>
#include <optional>

namespace tilesim::machine {

// The rows of D (and of A) that one CTA of an MMA holds.
enum class DataPath : uint8_t {
  kA,  // M = 256, two CTAs: as D on each
  kB,  // M = 128, two CTAs: 64 rows each, the right half of N in lanes 64-127
  kD,  // M = 128: lane m, column n
  kF,  // M = 64: rows 16*i .. 16*i+15 in lanes 32*i .. 32*i+15
};

// For `m` rows in all, over a pair or not; nullopt: no such MMA.
constexpr std::optional<DataPath> DataPathOf(int64_t m, bool pair) {
  if (pair && m == 256) return DataPath::kA;
  if (pair && m == 128) return DataPath::kB;
  if (!pair && m == 128) return DataPath::kD;
  if (!pair && m == 64) return DataPath::kF;
  return std::nullopt;
}

// Lane of the CTA's row `m` for column `n` of `columns`.
constexpr int64_t LaneOf(DataPath path, int64_t m, int64_t n, int64_t columns) {
  if (path == DataPath::kF) return m / 16 * 32 + m % 16;
  if (path == DataPath::kB) return m + (n >= columns / 2 ? 64 : 0);
  return m;
}

// Columns that one lane has of one row: of D, half with layout B.
constexpr int64_t LaneColumns(DataPath path, int64_t columns) {
  return path == DataPath::kB ? columns / 2 : columns;
}

// Scale factors: four along K in a column; row r in lane r % 32 (of each
// quarter), column r / 32; further fours follow behind the last row's column.
struct ScalePlace {
  int64_t lane;
  int64_t byte;  // of the lane, from the first of the scale factors
};
constexpr ScalePlace ScaleAt(int64_t row, int64_t block, int64_t rows) {
  int64_t column = block / 4 * ((rows + 31) / 32) + row / 32;
  return {row % 32, column * 4 + block % 4};
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_TMEM_LAYOUT_H_
