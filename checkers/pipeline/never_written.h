// uninit/global of every CTA, at sizes of the text: an element of a tensor that
// is undefined at first is read, and no CTA of this kernel or one before it
// stores to it at all. In which order they do is judged where grids are run
// (program/unwritten.h).
#ifndef TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_
#define TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_

#include <set>
#include <string>

#include "checkers/pipeline/judging.h"
#include "checkers/report/findings.h"

namespace tilesim::checkers::pipeline {

struct NeverWritten {
  // All sizes that there are were looked at, and all that may be read is stored
  // by a kernel before, unless the kernel alone stores to the tensor.
  bool shown = false;
  // Tensors of which, at some sizes, an element may be read that no kernel so
  // far stores to: memory decides whether it is.
  std::set<std::string> maybe;
};

// Stops at the first sizes at which one is read for sure, a finding.
NeverWritten FindNeverWritten(const Judging& judging,
                              report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_NEVER_WRITTEN_H_
