// What each code means: a page a code, written as Markdown beside this file
// and built into the command (README.md has the format).
//
//   const Page* page = FindPage("parity/stale");
//   page->summary    "a wait can pass on an older phase"
//   page->failing    a program that has it; page->repaired: its repair
#ifndef TILESIM_CHECKERS_EXPLAIN_PAGES_H_
#define TILESIM_CHECKERS_EXPLAIN_PAGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace tilesim::checkers::explain {

struct Page {
  std::string code;
  std::string summary;
  std::string_view text;  // the whole page
  std::string why;        // its prose
  std::string command;    // "check" or "run": who reports the code
  std::string diff;       // the program, with what the repair changes
  std::string failing;    // without the lines that the repair adds
  std::string repaired;   // without those that it takes away
};

// By code.
const std::vector<Page>& AllPages();
// nullptr: there is none.
const Page* FindPage(std::string_view code);

// The pages as written, in the order of their files.
absl::Span<const std::string_view> PageTexts();

}  // namespace tilesim::checkers::explain

#endif  // TILESIM_CHECKERS_EXPLAIN_PAGES_H_
