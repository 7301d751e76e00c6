// One bit of a number, however it is asked for:
//
//   k & 4 ? 1 : 0,  (k & 4) != 0,  (k & 4) >> 2,  (k & 4) / 4     k >> 2 & 1
//   (k ^ 4) >> 2 & 1                                              k >> 2 & 1 ^
//   1
//
// Which digit of a number decides is followed in the second form
// (docs/all_sizes.md 3.7 and 3.10).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_BIT_TESTS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_BIT_TESTS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// `defines`: of constants. False: no bit is asked for otherwise.
bool ShiftBits(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_BIT_TESTS_H_
