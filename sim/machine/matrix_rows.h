// Rows of 8x8 matrices of two bytes (PTX ldmatrix, stmatrix) in boxes of
// compiled code: what each lane has of them.
//
// A thread loads and stores what its registers get and have (PTX 9.7.14.5.15:
// "each thread in a warp loads fragments of a row"), whoever names the row: of
// row r, lanes from 4 r on have four bytes each; of a matrix transposed, lanes
// from 4 c on have column c, two bytes of two rows each. A set of such a box
// has the rows in the order of the lanes that name them.
#ifndef TILESIM_SIM_MACHINE_MATRIX_ROWS_H_
#define TILESIM_SIM_MACHINE_MATRIX_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "ir/concrete.h"
#include "sim/machine/byte_sets.h"

namespace tilesim::machine {

// kNone: nothing is known of lanes; each touches all.
enum class Fragment : uint8_t { kNone, kRows, kColumns };

// It is kept in a start that a box of one dimension does not use.
inline void PutFragment(Fragment fragment, ir::TileValue& box) {
  box.start[2] = static_cast<int64_t>(fragment);
}
inline Fragment FragmentOf(const ir::TileValue& box) {
  return static_cast<Fragment>(box.start[2]);
}

// Calls f(run) for what those lanes have of the part's rows.
template <typename F>
void ForPieces(const ByteSets::Part& part, Fragment fragment, uint32_t lanes,
               F f) {
  constexpr int kMatrixRows = 8, kRowLanes = 4;
  const bool by_rows = fragment == Fragment::kRows;
  const int64_t bytes = by_rows ? 4 : 2;
  for (int lane = 0; lane < ir::kWarpThreads; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const int line = lane / kRowLanes, place = lane % kRowLanes;
    for (size_t i = 0; i < part.runs.size(); ++i) {
      const int row = static_cast<int>(i % kMatrixRows);
      if (by_rows ? row != line : row / 2 != place) continue;
      const int64_t begin =
          part.runs[i].begin + (by_rows ? place : line) * bytes;
      f(ByteSets::Run{begin, begin + bytes});
    }
  }
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_MATRIX_ROWS_H_
