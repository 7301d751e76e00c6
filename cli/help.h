// `tilesim help COMMAND`, and the same as JSON: what a command does and takes,
// of the tables that the command itself reads.
#ifndef TILESIM_CLI_HELP_H_
#define TILESIM_CLI_HELP_H_

#include "cli/arguments.h"

namespace tilesim::cli {

void AddHelp(Command app, int& exit);

// As the answer of a command: the one that was named last on the line, and
// those below it.
void PrintHelpAsJson(Command app);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_HELP_H_
