#include "cli/reduce/expectations.h"

#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "ir/cat.h"

namespace tilesim::cli::reduce {
namespace {

std::string DirectiveOf(const Seen::Told& told) {
  bool error = told.diagnostic.severity == ir::Severity::kError;
  std::string_view word = told.follows ? "note" : error ? "error" : "warning";
  bool nowhere = !told.follows && told.diagnostic.span.line <= 0;
  return ir::Cat("//! ", word, "[", told.diagnostic.code.name(), "]",
                 nowhere ? " anywhere" : "");
}

}  // namespace

std::string WithExpectations(const std::string& text, const Seen& seen) {
  std::map<int32_t, std::vector<std::string>> above;
  std::set<std::string> notes;
  for (const Seen::Told& told : seen.told) {
    std::string directive = DirectiveOf(told);
    if (told.follows && !notes.insert(directive).second) continue;
    int32_t line = told.follows ? 0 : told.diagnostic.span.text_line();
    above[line].push_back(std::move(directive));
  }
  std::string out =
      ir::Cat("//! verdict: ",
              seen.rejected ? "rejected" : checkers::Name(seen.verdict), "\n");
  for (const std::string& directive : above[0])
    ir::Append(&out, directive, "\n");
  std::istringstream lines(text);
  int32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()),
                             ' ');
    for (const std::string& directive : above[++number])
      ir::Append(&out, indent, directive, "\n");
    ir::Append(&out, line, "\n");
  }
  return out;
}

}  // namespace tilesim::cli::reduce
