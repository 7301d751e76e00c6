// Which sizes a kernel permits.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_

#include <cstdint>
#include <set>
#include <vector>

#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/partition/representative.h"
#include "ir/bind.h"

namespace tilesim::checkers::sizes::partition {

// Whether no values of the parameters in `open` (slots) make these sizes ones
// of a launch: a `requires` that mentions none of them does not hold, or a
// dimension of the grid, of which they decide nothing, is empty, too large or
// not whole clusters.
bool NeverPermitted(const ir::Kernel& kernel, const ir::Overrides& sizes,
                    int64_t sm_count, const std::set<int32_t>& open);

// What `requires` says of parameters that vary: polynomials over their values,
// by index in `varied`, that are at least 0 wherever the kernel may be
// launched. Comparisons of sums, differences and products; of others nothing is
// said, so that more sizes are left than are permitted.
std::vector<algebra::Polynomial> RequiredFacts(const ir::Kernel& kernel,
                                               const Varied& varied,
                                               const ir::Overrides& defines);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_PERMITTED_H_
