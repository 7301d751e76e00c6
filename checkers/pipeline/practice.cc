#include "checkers/pipeline/practice.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

struct Row {
  ir::Code code;
  std::string_view of;  // only where the message says so; "": all of them
  std::string_view why;
};

// Which finding, and why hardware has not been seen to mind. What goes wrong in
// some execution of the documented machine is none of these. The rows are those
// of ir/rules/practice.toml.
constexpr Row kRows[] = {
#define PRACTICE(code, of, why) {code, of, why},
#include "ir/rules/practice.def"
#undef PRACTICE
};

const Row* RowOf(const ir::Diagnostic& d) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
        return r.code == d.code && d.message.find(r.of) != std::string::npos;
      });
  return row == std::end(kRows) ? nullptr : row;
}

// At every place that it was seen.
template <class Change>
void ForEach(report::Findings& findings, const Change& change) {
  for (report::Finding& f : findings.all()) {
    change(f.diagnostic);
    for (report::Finding& e : f.elsewhere) change(e.diagnostic);
  }
}

}  // namespace

bool IsOfPractice(const ir::Diagnostic& finding) {
  return RowOf(finding) != nullptr;
}

void AsInPractice(report::Findings& findings) {
  ForEach(findings, [](ir::Diagnostic& d) {
    const Row* row = RowOf(d);
    if (row == nullptr) return;
    d.severity = ir::Severity::kWarning;
    d.notes.push_back(
        ir::Cat("by the letter of PTX an error (--strict ptx): ", row->why));
  });
}

void ByTheLetter(report::Findings& findings) {
  ForEach(findings, [](ir::Diagnostic& d) {
    if (RowOf(d) != nullptr) d.severity = ir::Severity::kError;
  });
}

}  // namespace tilesim::checkers::pipeline
