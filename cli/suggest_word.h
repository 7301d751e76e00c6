// Did you mean ...? Of what people type on the command line.
#ifndef TILESIM_CLI_SUGGEST_WORD_H_
#define TILESIM_CLI_SUGGEST_WORD_H_

#include <string>
#include <string_view>
#include <vector>

#include "frontend/suggest.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tilesim::cli {

// "; did you mean `x`?", or "" where nothing is near.
inline std::string DidYouMean(std::string_view word,
                              const std::vector<std::string>& known) {
  std::vector<std::string_view> candidates(known.begin(), known.end());
  std::string text = frontend::DidYouMean(word, candidates);
  return text.empty() ? "" : "; " + text;
}

// What is wrong with a command line, in a sentence: CLI11's, with the command
// or option that is nearest to one that there is not.
std::string UsageText(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SUGGEST_WORD_H_
