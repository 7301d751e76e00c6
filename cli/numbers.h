// Options that take a number: what may be given, and what is said of the rest.
#ifndef TILESIM_CLI_NUMBERS_H_
#define TILESIM_CLI_NUMBERS_H_

#include <cstdint>
#include <limits>

#include "cli/arguments.h"

namespace tilesim::cli {

inline constexpr int64_t kMostJobs = 1024;
inline constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

// "`0` is no whole number from 1 to 1024"
Validator WholeNumber(int64_t low, int64_t high = kAnyNumber);

// "`-1` is no number from 0 on", "`0` is no number above 0"
Validator Number(double low, bool or_low);

// Of any option: an empty path, name or number is a variable of a script that
// was not set.
Validator Something();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_NUMBERS_H_
