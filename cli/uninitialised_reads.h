// What `check` of PTX makes of findings of memory that nothing has written,
// where some runs stand for all (docs/ptx.md 7.2).
#ifndef TILESIM_CLI_UNINITIALISED_READS_H_
#define TILESIM_CLI_UNINITIALISED_READS_H_

#include <set>
#include <string>
#include <vector>

#include "checkers/pipeline/verdict.h"

namespace tilesim::cli {

// Whether shared memory is read that nothing has written.
bool HasUninitialised(const checkers::CheckReport& report);

// Findings of memory that nothing has written, by their keys, but for those
// of the others.
std::set<std::string> UninitialisedBut(
    const std::vector<checkers::CheckReport>& others,
    const checkers::CheckReport& report);

// Of a branch that stores on both ways it was not shown that each thread
// stores the same bytes.
void LeaveOpen(const std::vector<checkers::CheckReport>& others,
               checkers::CheckReport& report);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_UNINITIALISED_READS_H_
