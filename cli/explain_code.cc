#include "cli/explain_code.h"

#include <algorithm>
#include <string_view>

#include "cli/findings_text.h"
#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::cli {
namespace {

std::string Indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    ir::Append(&out, line.empty() ? "" : "    ", line, "\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string PageText(const checkers::explain::Page& page) {
  if (page.diff.empty())
    return fmt::format("{}: {}\n\n{}\n", page.code, page.summary, page.why);
  ir::Source source{"example.tile", page.failing};
  std::string told =
      page.command == "run" ? FindingsOfRun(source) : FindingsOfCheck(source);
  return fmt::format(
      "{}: {}\n\n{}\n\nA program that has it (`-`), and its repair (`+`):\n\n"
      "{}\nWhat `tilesim {}` says about it:\n\n{}",
      page.code, page.summary, page.why, Indented(page.diff), page.command,
      Indented(told));
}

std::string CodeList() {
  std::string out;
  for (const checkers::explain::Page& page : checkers::explain::AllPages())
    out += fmt::format("{:26} {}\n", page.code, page.summary);
  return out;
}

}  // namespace tilesim::cli
