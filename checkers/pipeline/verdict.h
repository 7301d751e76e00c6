// Last stage: the parts of a check as one report with a verdict.
#ifndef TILESIM_CHECKERS_PIPELINE_VERDICT_H_
#define TILESIM_CHECKERS_PIPELINE_VERDICT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/pipeline/options.h"
#include "checkers/pipeline/part.h"
#include "checkers/pipeline/scope.h"
#include "checkers/report/finding.h"
#include "ir/diagnostic.h"

namespace tilesim::checkers::pipeline {

enum class Verdict : uint8_t { kClean, kFindings, kIncomplete };
std::string_view Name(Verdict verdict);

struct CheckReport {
  Verdict verdict = Verdict::kIncomplete;
  CheckScope scope;
  std::vector<report::Finding> findings;
  std::vector<std::string> open;  // why the verdict is no proof
  // Rules that the program has a case of, and that were not judged of it.
  std::vector<std::string> not_judged;
  ir::Diagnostics errors;  // sizes that do not fit: nothing was checked
};

// Findings of one part are told by themselves, whatever another one has. The
// parts of kernels are in launch order.
CheckReport ReportOf(const std::vector<Part>& parts,
                     const CheckOptions& options);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_VERDICT_H_
