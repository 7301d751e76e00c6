#include "tests/frontend/expectations.h"

#include <algorithm>
#include <regex>

#include "frontend/directives.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

bool Matches(const Expectation& e, const ir::Diagnostic& d) {
  std::string text = ir::Cat(d.message, "\n", d.help, "\n", d.span_text);
  for (const std::string& note : d.notes) ir::Append(&text, "\n", note);
  return e.severity == d.severity && e.code == d.code &&
         e.line == d.span.text_line() &&
         (e.column == 0 || e.column == d.span.column) &&
         text.find(e.text) != std::string::npos;
}

std::string Describe(const ir::Diagnostic& d) {
  return ir::Cat("unexpected ",
                 d.severity == ir::Severity::kError ? "error" : "warning", "[",
                 d.code.name(), "] ", d.span.text_line(), ":", d.span.column,
                 " ", d.message, d.help.empty() ? "" : " | ", d.help);
}

}  // namespace

Expectations ReadExpectations(const ir::Source& source) {
  static const std::regex kFinding(
      R"((error|warning)\[([a-z0-9-]+/[a-z0-9-]+)\](?: @(\d+))?(?: "(.*)\")?)");
  Expectations out;
  for (const Directive& d : FindDirectives(source).directives) {
    std::smatch match;
    if (d.text == "clean") {
      out.clean = true;
    } else if (std::regex_match(d.text, match, kFinding)) {
      std::optional<ir::Code> code = ir::FindCode(match[2].str());
      if (!code) {
        out.problems.push_back(
            ir::Cat("line ", d.span.text_line(), ": no such code: ", d.text));
        continue;
      }
      Expectation& e = out.findings.emplace_back();
      if (match[1] == "warning") e.severity = ir::Severity::kWarning;
      e.code = *code;
      e.line = d.target;
      if (match[3].matched) e.column = std::stoi(match[3]);
      e.text = match[4];
    } else {
      out.problems.push_back(ir::Cat("line ", d.span.text_line(),
                                     ": unknown directive: ", d.text));
    }
  }
  if (out.clean != out.findings.empty())
    out.problems.push_back("say `//! clean` or what is found, not both");
  return out;
}

std::vector<std::string> Compare(const Expectations& expectations,
                                 const ir::Diagnostics& found) {
  std::vector<std::string> out = expectations.problems;
  std::vector<Expectation> open = expectations.findings;
  for (const ir::Diagnostic& d : found.all()) {
    auto it = std::find_if(open.begin(), open.end(),
                           [&](const Expectation& e) { return Matches(e, d); });
    if (it == open.end()) {
      out.push_back(Describe(d));
    } else {
      open.erase(it);
    }
  }
  for (const Expectation& e : open) {
    out.push_back(ir::Cat("not found: [", e.code.name(), "] on line ", e.line,
                          " ", e.text));
  }
  return out;
}

}  // namespace tilesim::frontend
