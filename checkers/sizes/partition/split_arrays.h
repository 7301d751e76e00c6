// Arrays of barriers and tiles of which parts are rings of their own:
//
//   mbarrier bar[2 * STAGES]      full ones, then empty ones
//   ... bar[s] ... bar[STAGES + s] ...
//   mbarrier bar[2, STAGES]
//   ... bar[0, s] ... bar[1, s] ...
//
// A kernel in which each part is an array of its own does the same, and its
// rings turn by themselves (state/rings.h). What might name an object of
// several parts is divided into cases by its index, so it does not matter for
// what is shown where an array is cut.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_SPLIT_ARRAYS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_SPLIT_ARRAYS_H_

#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

// Splits arrays of `kernel`, that is or was made of the kernel of `code`.
// False: there is nothing to split.
bool SplitArrays(const machine::Code& code, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_SPLIT_ARRAYS_H_
