#include "checkers/pipeline/verdict.h"

#include <algorithm>

namespace tilesim::checkers::pipeline {
using report::Finding;

namespace {

void MakeStrict(const CheckOptions& options, Finding& f) {
  bool warns = f.diagnostic.severity == ir::Severity::kWarning;
  if (warns && options.strict.count(f.diagnostic.code.strict()) != 0)
    f.diagnostic.severity = ir::Severity::kError;
}

Verdict VerdictOf(const CheckReport& report) {
  bool errors = std::any_of(
      report.findings.begin(), report.findings.end(), [](const Finding& f) {
        return f.diagnostic.severity == ir::Severity::kError;
      });
  bool proved = report.scope.all_interleavings && report.open.empty() &&
                !report.errors.has_errors();
  return errors   ? Verdict::kFindings
         : proved ? Verdict::kClean
                  : Verdict::kIncomplete;
}

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean:
      return "clean";
    case Verdict::kFindings:
      return "findings";
    case Verdict::kIncomplete:
      return "incomplete";
  }
  return "";
}

CheckReport ReportOf(const std::vector<Part>& parts,
                     const CheckOptions& options) {
  CheckReport out;
  report::Reasons open;
  for (const Part& part : parts) {
    out.findings.insert(out.findings.end(), part.findings.all().begin(),
                        part.findings.all().end());
    open.AddAll(part.open);
    out.scope.Add(part.scope);
    out.errors.Append(part.errors);
  }
  for (Finding& f : out.findings) MakeStrict(options, f);
  out.open = open.all();
  out.verdict = VerdictOf(out);
  return out;
}

}  // namespace tilesim::checkers::pipeline
