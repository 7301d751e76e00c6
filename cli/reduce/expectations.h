// A program with `//!` comments that say what is told of it, as the tests of
// the corpora read them (tests/verify/README.md).
#ifndef TILESIM_CLI_REDUCE_EXPECTATIONS_H_
#define TILESIM_CLI_REDUCE_EXPECTATIONS_H_

#include <string>

#include "cli/reduce/oracle.h"

namespace tilesim::cli::reduce {

// `text` is in the one layout; lines of what was seen are its own.
std::string WithExpectations(const std::string& text, const Seen& seen);

}  // namespace tilesim::cli::reduce

#endif  // TILESIM_CLI_REDUCE_EXPECTATIONS_H_
