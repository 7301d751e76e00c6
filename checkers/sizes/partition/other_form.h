// All sizes of a kernel are shown of one that does the same and is easier to
// show. What is judged is the kernel as it is.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_

#include "checkers/sizes/partition/cover.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

// Places in rings that wrap are counters (ring_counters.h), and arrays have one
// dimension (flat_arrays.h): CoverSizes, of that.
Covered WithCounters(const ir::Kernel& text, const CoverOptions& options,
                     const JudgeInstance& judge);

// Besides, loops end where what they do ends (guarded_loops.h), rings are
// arrays of their own (split_arrays.h), products are compared in place of
// quotients (quotient_bounds.h), and inputs that decide are parameters
// (drawn_elements.h). `covered`: what was shown without that; it is what comes
// back where there is nothing of the kind. `code` is of the kernel as it is.
Covered InOtherForm(const machine::Code& code, const CoverOptions& options,
                    const JudgeInstance& judge, Covered covered);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_
