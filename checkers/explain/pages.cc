#include "checkers/explain/pages.h"

#include <algorithm>

#include "ir/cat.h"
#include "ir/values/check.h"

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

// "# code: summary", then prose, with one program between fences.
Page Read(std::string_view text) {
  Page page;
  page.text = text;
  std::string_view head = TakeLine(text);
  size_t colon = head.find(": ");
  values::Check(head.starts_with("# ") && colon != head.npos,
                "a page of checkers/explain starts with `# code: summary`");
  page.code = std::string(head.substr(2, colon - 2));
  page.summary = std::string(head.substr(colon + 2));
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

const std::vector<Page>& AllPages() {
  static const auto* const kPages = [] {
    auto* pages = new std::vector<Page>;
    for (std::string_view text : PageTexts()) pages->push_back(Read(text));
    std::sort(pages->begin(), pages->end(),
              [](const Page& a, const Page& b) { return a.code < b.code; });
    return pages;
  }();
  return *kPages;
}

const Page* FindPage(std::string_view code) {
  const std::vector<Page>& pages = AllPages();
  auto found = std::find_if(pages.begin(), pages.end(),
                            [=](const Page& p) { return p.code == code; });
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace tilesim::checkers::explain
