// A loop in which a CTA draws the numbers of its tiles, as it was found, and
// what they may be used for (dynamic_tiles.h).
#ifndef TILESIM_CHECKERS_PIPELINE_DRAWN_TILES_H_
#define TILESIM_CHECKERS_PIPELINE_DRAWN_TILES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ir/program.h"

namespace tilesim::checkers::pipeline {

// n < TILES: n.
struct Below {
  int32_t slot = -1;
  ir::Expr end;
};

// The loop, as it was found.
struct Tiles {
  size_t at = 0;  // of the kernel's statements
  Below below;
  std::optional<int64_t> first;  // the number that the loop asks for first
  bool from_place = false;       // it begins with cta.x, and draws behind that
  ir::Block draw, work;
  size_t scope = 0;      // of `draw`, in which the number is drawn
  int32_t counter = -1;  // declarations
  int32_t word = -1;
  int32_t drawn = -1;  // scalar
};

// Whether the numbers of tiles say only where in global memory something lies,
// and nothing tells one CTA from another.
bool OnlySayPlaces(const ir::Kernel& kernel, const Tiles& tiles);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_DRAWN_TILES_H_
