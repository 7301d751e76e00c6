// The smallest program, as far as this finds one, that is still what an oracle
// looks for: delta debugging (Zeller and Hildebrandt 2002) over the lines of
// each block (hierarchical, Misherghi and Su 2006), then over the tokens of
// each line.
//
//   Reduction r = Reduce(source, oracle, {.max_checks = 3000}, stop, progress);
//
// Deterministic: the same program, oracle and bound give the same answer.
#ifndef TILESIM_CLI_REDUCE_REDUCE_H_
#define TILESIM_CLI_REDUCE_REDUCE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/reduce/line_tree.h"
#include "cli/reduce/oracle.h"
#include "ir/diagnostic.h"

namespace tilesim::cli::reduce {

struct Bounds {
  int64_t max_checks = 0;  // programs that are checked
};

struct Reduction {
  std::string text;  // in the one layout
  Seen seen;         // of it
  Size from, to;
  int64_t checks = 0;
  bool all = false;  // nothing that is tried makes it smaller
};

// After each step: programs checked so far, and how large the smallest is.
using OnStep = std::function<void(int64_t checks, const Size& smallest)>;

// Nothing: the program is not what the oracle looks for, or its grammar is
// wrong.
std::optional<Reduction> Reduce(const ir::Source& source, Oracle& oracle,
                                const Bounds& bounds,
                                const std::atomic<bool>& stop,
                                const OnStep& step);

}  // namespace tilesim::cli::reduce

#endif  // TILESIM_CLI_REDUCE_REDUCE_H_
