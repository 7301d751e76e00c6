// Findings as they are told: one a mistake.
#ifndef TILESIM_CHECKERS_REPORT_FOLLOW_UP_H_
#define TILESIM_CHECKERS_REPORT_FOLLOW_UP_H_

#include <string>
#include <string_view>
#include <vector>

#include "checkers/report/finding.h"

namespace tilesim::checkers::report {

// Of each finding that follows from another (Finding::because), that other one
// tells (Finding::follows), in the place of the first of them. What is said of
// the same places is one finding, of other tiles its notes.
std::vector<Finding> FollowUp(std::vector<Finding> all);

// A text without its numbers.
std::string WordsOf(std::string_view text);

}  // namespace tilesim::checkers::report

#endif  // TILESIM_CHECKERS_REPORT_FOLLOW_UP_H_
