// Which tiles the text counts a parameter in.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_TILE_IN_TEXT_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_TILE_IN_TEXT_H_

#include "checkers/sizes/induction/division_hint.h"
#include "checkers/sizes/partition/representative.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

// A stride of a parameter that is several of the tiles which an expression of
// the text divides it into is one of those: of
//
//   for k in rank..cdiv(K, 64) step 4
//
// 64, not 256. What is left of the last tile decides nothing then.
induction::Stride TileInText(const machine::Code& code, const Varied& params,
                             induction::Stride stride);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_TILE_IN_TEXT_H_
