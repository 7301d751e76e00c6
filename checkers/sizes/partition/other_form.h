// Where all sizes of a kernel are not shown as it is written: of one that does
// the same, but whose rings are arrays of their own (split_arrays.h), and whose
// inputs that decide are parameters (drawn_elements.h). Judged is the kernel as
// it is.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_

#include "checkers/sizes/partition/cover.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

// `covered`: what is shown of the kernel of `code` as it is. The same where
// there is no other form.
Covered InOtherForm(const machine::Code& code, const CoverOptions& options,
                    const JudgeInstance& judge, Covered covered);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_OTHER_FORM_H_
