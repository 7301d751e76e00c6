// The page of a code, as a terminal shows it.
#ifndef TILESIM_CLI_EXPLAIN_CODE_H_
#define TILESIM_CLI_EXPLAIN_CODE_H_

#include <string>

#include "ir/code.h"

namespace tilesim::cli {

// What it means, a program that has it, what the tool says about that (said
// now, not remembered), and the repair.
std::string PageText(ir::Code code);

// Every code with a line about it.
std::string CodeList();

// Every code with all that ir/codes.def says of it.
//
//   {"schema": 1, "codes": [
//     {"code": "proxy-fence/war", "family": "proxy-fence",
//      "severities": ["warning"], "strict": "proxy-war", "summary": "..."}]}
std::string CodeListJson();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_EXPLAIN_CODE_H_
