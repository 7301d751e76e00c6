// Reports on one program that was judged in several ways.
#ifndef TILESIM_CLI_ADD_REPORT_H_
#define TILESIM_CLI_ADD_REPORT_H_

#include "checkers/check.h"

namespace tilesim::cli {

// Any of the ways may be how the program runs: what is wrong in one is, in some
// execution, and it is clean if all are.
void AddReport(checkers::CheckReport other, checkers::CheckReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_ADD_REPORT_H_
