// What one stage of a check concludes. Parts add up to the report: those of a
// kernel's instances to the kernel's, those of kernels to the program's.
#ifndef TILESIM_CHECKERS_PIPELINE_PART_H_
#define TILESIM_CHECKERS_PIPELINE_PART_H_

#include <optional>

#include "checkers/pipeline/scope.h"
#include "checkers/pipeline/undefined.h"
#include "checkers/report/findings.h"
#include "checkers/report/reasons.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

struct Part {
  report::Findings findings;
  report::Reasons open;  // why it is no proof
  CheckScope scope;
  ir::Diagnostics errors;  // sizes that do not fit: nothing was checked
  std::optional<UndefinedUse> undefined;  // of a kernel that was run

  // Findings that are in both are counted.
  void Add(const Part& other) {
    findings.Merge(other.findings);
    open.AddAll(other.open);
    scope.Add(other.scope);
    errors.Append(other.errors);
    if (other.undefined) undefined = other.undefined;
  }
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PART_H_
