// The op table as JSON: for grammars and other readers of .tile text.
#ifndef TILESIM_CLI_OP_JSON_H_
#define TILESIM_CLI_OP_JSON_H_

#include "cli/json.h"

namespace tilesim::cli {

// [{"op", "doc", "operands": [{"name", "keyword", "optional", "doc"}],
//   "modifiers": [{"name", "choices", "doc"}], "targets", "source"}]
Json OpsJson();

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_OP_JSON_H_
