// What each code means: a page a code, written as Markdown beside this file
// and built into the command (README.md has the format).
//
//   const Page& page = PageOf("parity/stale");
//   page.failing    a program that has it; page.repaired: its repair
#ifndef TILESIM_CHECKERS_EXPLAIN_PAGES_H_
#define TILESIM_CHECKERS_EXPLAIN_PAGES_H_

#include <span>
#include <string>
#include <string_view>

#include "ir/code.h"

namespace tilesim::checkers::explain {

struct Page {
  ir::Code code;
  std::string text;      // the whole page; its title has the summary
  std::string why;       // its prose
  std::string command;   // "check" or "run": who reports the code
  std::string diff;      // the program, with what the repair changes
  std::string failing;   // without the lines that the repair adds
  std::string repaired;  // without those that it takes away
};

// Every code has one.
const Page& PageOf(ir::Code code);

// The pages as written, in the order of their files.
struct PageText {
  ir::Code code;
  std::string_view text;
};
std::span<const PageText> PageTexts();

}  // namespace tilesim::checkers::explain

#endif  // TILESIM_CHECKERS_EXPLAIN_PAGES_H_
