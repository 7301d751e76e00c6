// Loops that count down:
//
//   var left = T / 64
//   while left > 0 {
//     ...
//     left = left - 1
//   }
//
// goes around as often as `for trip in 0..T / 64` does, and `left` stays a
// variable of its body. Of the latter how often it goes around is seen.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_COUNTED_DOWN_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_COUNTED_DOWN_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Makes them loops that count up. `defines`: of constants. False: there is
// none.
bool CountUp(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_COUNTED_DOWN_H_
