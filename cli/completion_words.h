// Words that an option or argument may be, where its table does not list them.
#ifndef TILESIM_CLI_COMPLETION_WORDS_H_
#define TILESIM_CLI_COMPLETION_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace tilesim::cli {

// Of "--arch", or "CODE", what `explain` takes; none: any text.
std::vector<std::string> CompletionWords(std::string_view option);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COMPLETION_WORDS_H_
