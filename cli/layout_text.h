// Layouts, drawn: which thread holds which element of a register tile, where a
// swizzle puts the chunks of a row, which lane of tensor memory has which row.
// Made of the functions that the model itself asks (ir/layout.h, ir/tmem.h).
#ifndef TILESIM_CLI_LAYOUT_TEXT_H_
#define TILESIM_CLI_LAYOUT_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim::cli {

struct LayoutTopic {
  std::string topic;  // "fragment/wgmma", "swizzle/128B", "tmem/D"
  std::string doc;
};
const std::vector<LayoutTopic>& LayoutTopics();

// The drawing; nothing: there is no such topic.
std::optional<std::string> LayoutText(std::string_view topic);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_LAYOUT_TEXT_H_
