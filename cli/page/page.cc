#include "cli/page/page.h"

#include <utility>

#include "absl/strings/str_replace.h"
#include "cli/page/page_files.h"
#include "cli/version.h"

namespace tilesim::cli {
namespace {

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace

std::string PageOf(const std::string& title,
                   const nlohmann::ordered_json& data) {
  // No text of a program can end the element that it stands in.
  const std::string json = absl::StrReplaceAll(
      data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
      {{"<", "\\u003c"}});
  return absl::StrReplaceAll(std::string(kPageHtml),
                             {{"@VERSION@", std::string(Version())},
                              {"@TITLE@", Escaped(title)},
                              {"@CSS@", std::string(kPageCss)},
                              {"@SCRIPT@", std::string(kPageScript)},
                              {"@DATA@", json}});
}

}  // namespace tilesim::cli
