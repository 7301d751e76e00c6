// What `reduce` tries: programs that are a little smaller than one.
#ifndef TILESIM_CLI_REDUCE_EDITS_H_
#define TILESIM_CLI_REDUCE_EDITS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "cli/reduce/line_tree.h"

namespace tilesim::cli::reduce {

// Takes a smaller program if it is still what is looked for. It is `lines`
// then, and the answer true.
using Take = std::function<bool(Lines smaller)>;

// Each goes through all that it can do to `lines`, which `take` replaces.

// Some lines of a block, as many as possible at a time, with all in them.
void DropLines(const Lines& lines, const Take& take);
// What holds a block, which stays: of a loop one turn, its first.
void DropHolders(const Lines& lines, const Take& take);
// A `param` becomes a constant of the size at which it was seen; a constant and
// a `let` its value wherever it stands.
void FixNames(const Lines& lines, const std::map<std::string, int64_t>& sizes,
              const Take& take);
// Some tokens of a line, with balanced brackets, or a number in their place;
// parts of a name that has several; integers smaller.
void ShortenLines(const Lines& lines, const Take& take);

// A `param` or `const` of this value, as -D says.
void Define(Lines& lines, const std::string& name, int64_t value);

}  // namespace tilesim::cli::reduce

#endif  // TILESIM_CLI_REDUCE_EDITS_H_
