// A witness as short text, steps that say little folded into one line:
//
//   how it comes about:
//     1-6. setup (warp 0): 6 steps
//     7. producer (warp 0), line 41: mbarrier.wait: `empty[0]` is fresh: passes
#ifndef TILESIM_CLI_WITNESS_TEXT_H_
#define TILESIM_CLI_WITNESS_TEXT_H_

#include <string>
#include <vector>

#include "checkers/report/trace_step.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

// Which steps are worth a line of their own: the last of those on the lines of
// the finding, of those that look at mbarriers and of those after which another
// CTA goes on, what never ends, and all of a short trace.
std::vector<bool> Telling(const checkers::report::Trace& trace,
                          const ir::Diagnostic& finding);

std::string WitnessText(const checkers::report::Trace& trace,
                        const ir::Diagnostic& finding);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_WITNESS_TEXT_H_
