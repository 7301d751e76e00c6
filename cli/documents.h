// The documents of docs/, built into the command, for `tilesim explain
// hardware/A.5`. A section is a heading whose first word names it.
#ifndef TILESIM_CLI_DOCUMENTS_H_
#define TILESIM_CLI_DOCUMENTS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::cli {

struct Document {
  std::string_view name;  // of the file in docs/, without .md
  std::string_view text;
};
std::span<const Document> Documents();
std::string_view Licenses();

// Topics, "hardware" and "hardware/A.5", in the order of the pages.
std::vector<std::string> DocumentTopics();
// A topic with its title, a line each.
std::string DocumentList();
// The page, or the section down to the next one that is not inside it; none:
// there is no such topic.
std::optional<std::string_view> DocumentText(std::string_view topic);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_DOCUMENTS_H_
