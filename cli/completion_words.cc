#include "cli/completion_words.h"

#include "cli/input.h"
#include "cli/topic.h"

namespace tilesim::cli {

std::vector<std::string> CompletionWords(std::string_view option) {
  if (option == "--arch") return ArchNames();
  if (option == "TOPIC") return ExplainTopics();
  return {};
}

}  // namespace tilesim::cli
