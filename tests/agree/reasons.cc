#include "tests/agree/reasons.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace tilesim::checkers {

std::set<std::string> ReasonsIn(const std::string& path) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  static const std::regex reason(
      "(?:GiveUp\\(|Stop\\(|kOtherProtocol "
      "=|open\\(?\\)?\\.Add\\(|Undetermined\\(|why "
      "=|why_not_ =|: "
      "ir::Cat\\(|(?:open|limits|unknown_)\\.push_back\\(|"
      "open_\\.insert\\()"
      "[^\"{};]{0,40}\"([^\"]{16,})\"");  // a sentence
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), reason), end;
       at != end; ++at)
    out.insert((*at)[1]);
  return out;
}

std::vector<std::string> Sources(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    std::string path = entry.path().string();
    if (path.ends_with(".cc") && !path.ends_with("_test.cc"))
      out.push_back(path);
  }
  return out;
}

}  // namespace tilesim::checkers
