// The page of a code, as a terminal shows it.
#ifndef TILESIM_CLI_EXPLAIN_CODE_H_
#define TILESIM_CLI_EXPLAIN_CODE_H_

#include <string>

#include "checkers/explain/pages.h"

namespace tilesim::cli {

// What it means, a program that has it, what the tool says about that (said
// now, not remembered), and the repair.
std::string PageText(const checkers::explain::Page& page);

// Every code with a line about it.
std::string CodeList();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_EXPLAIN_CODE_H_
