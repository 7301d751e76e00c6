// uninit/global of every CTA, at sizes of the text: an element of a tensor that
// is undefined at first is read, and no CTA of this kernel or one before it
// stores to it at all. In which order they do is judged where grids are run
// (program/unwritten.h).
#ifndef TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_
#define TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_

#include "checkers/pipeline/judging.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::pipeline {

// Stops at the first sizes at which there is one. True: all sizes that there
// are were looked at, and all that may be read is stored by a kernel before,
// unless the kernel stores to the tensor itself.
bool FindNeverWritten(const Judging& judging, report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_
