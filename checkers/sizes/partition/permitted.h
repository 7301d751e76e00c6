// Which sizes a kernel permits.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_

#include <cstdint>
#include <set>

#include "ir/bind.h"

namespace tilesim::checkers::sizes::partition {

// Whether no values of the parameters in `open` (slots) make these sizes
// permitted: a `requires` that mentions none of them does not hold.
bool NeverPermitted(const ir::Kernel& kernel, const ir::Overrides& sizes,
                    int64_t sm_count, const std::set<int32_t>& open);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_
