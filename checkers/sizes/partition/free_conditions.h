// Conditions of a CTA that are no comparison of polynomials:
//
//   if cta.x < TM * TN - TM * TN / grid.x * grid.x { .. }    the tiles left
//   over
//
// In the kernel that this makes of it, a parameter says whether each such
// condition holds. That kernel can do whatever a CTA of the real one does, and
// more (docs/all_sizes.md 3.5).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_FREE_CONDITIONS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_FREE_CONDITIONS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// The new parameters, one for all conditions of which the same is written.
// `inputs`: declarations that nobody writes. Empty: there is no such condition,
// and the kernel is as it was.
std::vector<std::string> FreeConditions(const ir::Overrides& defines,
                                        const std::set<int32_t>& inputs,
                                        ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_FREE_CONDITIONS_H_
