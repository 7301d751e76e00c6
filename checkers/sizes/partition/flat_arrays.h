// Arrays of objects of several dimensions, as `a[warp, k & 1]` of four warps
// that have two slots each. A proof follows an array of one dimension; with
// `a[warp * 2 + (k & 1)]` in its place a kernel does the same.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_FLAT_ARRAYS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_FLAT_ARRAYS_H_

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Gives arrays one dimension whose first index says who executes; not those of
// which it is a number everywhere (split_arrays.h). `defines`: of constants.
// False: there are none such.
bool FlattenArrays(const ir::Overrides& defines, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_FLAT_ARRAYS_H_
