// Which register tiles of a kernel live at each of its ops, as a compiler sees
// it: from where they are written to where they are read last.
//
//   reg x, y : f32[64, 64] fragment wgmma
//   ld.global x, X[..]        x
//   mul y, x, x               x, y: or x alone, as row.sum can take each
//   element row.sum s, y                of y as it comes st.global Y[..], x
#ifndef TILESIM_SIM_TIMING_LIVE_TILES_H_
#define TILESIM_SIM_TIMING_LIVE_TILES_H_

#include <cstdint>
#include <set>
#include <vector>

#include "ir/bind.h"

namespace tilesim::timing {

// A register tile, one of its array.
struct LiveTile {
  int32_t decl = -1;
  int64_t element = 0;

  friend auto operator<=>(const LiveTile&, const LiveTile&) = default;
};
using LiveTiles = std::set<LiveTile>;

// An op of the text. What it reads is live before it; what it writes, with what
// lives on, behind it.
struct LiveAt {
  const ir::Op* op = nullptr;
  LiveTiles before, after;
};

// In the order of the text.
std::vector<LiveAt> LiveTilesOf(const ir::BoundKernel& kernel);

// 32-bit registers a thread of such a tile.
int64_t WordsOf(const ir::BoundKernel& kernel, int32_t decl);
int64_t WordsOf(const ir::BoundKernel& kernel, const LiveTiles& tiles);

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_LIVE_TILES_H_
