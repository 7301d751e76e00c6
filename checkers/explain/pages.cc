#include "checkers/explain/pages.h"

#include <algorithm>
#include <map>

#include "ir/cat.h"

namespace tilesim::checkers::explain {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kDiff = "```diff ";

std::string_view TakeLine(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void AddProgramLine(std::string_view line, Page& page) {
  ir::Append(&page.diff, line, "\n");
  std::string_view code = line.substr(std::min<size_t>(1, line.size()));
  if (!line.starts_with('+')) ir::Append(&page.failing, code, "\n");
  if (!line.starts_with('-')) ir::Append(&page.repaired, code, "\n");
}

// "# code", then prose, with one program between fences.
Page Read(const PageText& written) {
  Page page;
  page.code = written.code;
  std::string_view text = written.text;
  TakeLine(text);
  page.text =
      ir::Cat("# ", page.code.name(), ": ", page.code.summary(), "\n", text);
  bool in_program = false;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (line.starts_with(kDiff)) {
      page.command = std::string(line.substr(kDiff.size()));
      in_program = true;
    } else if (line.starts_with(kFence)) {
      in_program = false;
    } else if (in_program) {
      AddProgramLine(line, page);
    } else {
      ir::Append(&page.why, line, "\n");
    }
  }
  size_t first = page.why.find_first_not_of('\n');
  page.why.erase(0, std::min(first, page.why.size()));
  page.why.resize(page.why.find_last_not_of('\n') + 1);
  return page;
}

}  // namespace

const Page& PageOf(ir::Code code) {
  static const auto* const kPages = [] {
    auto* pages = new std::map<ir::Code, Page>;
    for (const PageText& text : PageTexts())
      pages->emplace(text.code, Read(text));
    return pages;
  }();
  return kPages->at(code);
}

}  // namespace tilesim::checkers::explain
