#include "cli/explain_code.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "checkers/explain/pages.h"
#include "cli/findings_text.h"
#include "cli/witness_json.h"
#include "fmt/format.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

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

std::string PageText(ir::Code code) {
  const checkers::explain::Page& page = checkers::explain::PageOf(code);
  std::string head =
      ir::Cat(code.name(), ": ", code.summary(), "\n\n", page.why);
  if (page.diff.empty()) return head + "\n";
  ir::Source source{"example.tile", page.failing};
  std::string told =
      page.command == "run" ? FindingsOfRun(source) : FindingsOfCheck(source);
  return fmt::format(
      "{}\n\nA program that has it (`-`), and its repair (`+`):\n\n"
      "{}\nWhat `tilesim {}` says about it:\n\n{}",
      head, Indented(page.diff), page.command, Indented(told));
}

std::string CodeList() {
  std::string out;
  for (ir::Code code : ir::AllCodes())
    out += fmt::format("{:26} {}\n", code.name(), code.summary());
  return out;
}

std::string CodeListJson() {
  Json codes = Json::array();
  for (ir::Code code : ir::AllCodes()) {
    Json severities = Json::array();
    if (code.may_err()) severities.push_back("error");
    if (code.may_warn()) severities.push_back("warning");
    codes.push_back({{"code", code.name()},
                     {"family", code.family()},
                     {"severities", std::move(severities)},
                     {"strict", code.strict()},
                     {"summary", code.summary()}});
  }
  return Dump({{"schema", 1}, {"codes", std::move(codes)}}) + "\n";
}

}  // namespace tilesim::cli
