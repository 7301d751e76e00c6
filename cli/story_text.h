// A witness as a short story, steps that say little folded into one line:
//
//   how it comes about:
//     1-6. setup (warp 0): 6 steps
//     7. producer (warp 0), line 41: mbarrier.wait: `empty[0]` is fresh: passes
#ifndef TILESIM_CLI_STORY_TEXT_H_
#define TILESIM_CLI_STORY_TEXT_H_

#include <string>
#include <vector>

#include "checkers/witness/story.h"
#include "ir/diagnostic.h"

namespace tilesim::cli {

// Which steps are worth a line of their own: the last of those on the lines of
// the finding and of those that look at mbarriers, what never ends, and all of
// a short story.
std::vector<bool> Telling(const std::vector<checkers::witness::Step>& story,
                          const ir::Diagnostic& finding);

std::string StoryText(const std::vector<checkers::witness::Step>& story,
                      const ir::Diagnostic& finding);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_STORY_TEXT_H_
