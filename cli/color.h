// Colour on a terminal: `--color auto|always|never`, an option of every
// command. auto, the default: where the stream is a terminal that is not
// `dumb`, and NO_COLOR (https://no-color.org) is not set to something.
#ifndef TILESIM_CLI_COLOR_H_
#define TILESIM_CLI_COLOR_H_

#include <cstdio>

#include "cli/arguments.h"
#include "ir/paint.h"

namespace tilesim::cli {

void AddColor(Command app);
// For what is printed to that stream, once the options are read.
ir::Paint PaintOn(FILE* stream);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COLOR_H_
