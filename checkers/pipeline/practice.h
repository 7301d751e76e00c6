// The practice profile: rules of PTX that compilers break by the letter and
// hardware forgives. Of compiled code they are warnings; `--strict ptx` makes
// them errors, as they are in `.tile` text.
#ifndef TILESIM_CHECKERS_PIPELINE_PRACTICE_H_
#define TILESIM_CHECKERS_PIPELINE_PRACTICE_H_

#include <string_view>

#include "checkers/report/findings.h"

namespace tilesim::checkers::pipeline {

inline constexpr std::string_view kStrictPtx = "ptx";

// Whether it is broken by the letter alone.
bool IsOfPractice(const ir::Diagnostic& finding);
void AsInPractice(report::Findings& findings);
// The same findings as errors, also those that a run has as warnings.
void ByTheLetter(report::Findings& findings);

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_PRACTICE_H_
