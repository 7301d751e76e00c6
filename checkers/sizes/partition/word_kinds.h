// On what scalars and operands of loops inside others depend: on how many
// iterations of the inner loop there were so far, of the outer one, or of the
// inner one in this iteration of the outer (docs/all_sizes.md 3.17).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_WORD_KINDS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_WORD_KINDS_H_

#include <cstdint>
#include <set>

#include "checkers/sizes/partition/ragged_loops.h"
#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Of the kernel that has these parameters. True: every operand that decides
// anything depends on one of the first two counts, those of one object on the
// same, and no condition on any. Where the inner loop may have no iteration,
// nothing in it depends on the outer one.
// `inputs`: declarations that nobody writes.
bool DependOnOneCount(const ir::Overrides& defines,
                      const std::set<int32_t>& inputs, const EvenLoops& loops,
                      const ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_WORD_KINDS_H_
