#include "checkers/pipeline/verdict.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <utility>

#include "checkers/report/follow_up.h"
#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
using report::Finding;

namespace {

void MakeStrict(const CheckOptions& options, ir::Diagnostic& d) {
  bool warns = d.severity == ir::Severity::kWarning;
  if (warns && options.strict.count(d.code.strict()) != 0)
    d.severity = ir::Severity::kError;
}

// At which sizes it was seen.
void SayWith(Finding& f) {
  std::string with;
  for (const auto& [name, value] : f.seen.sizes)
    ir::Append(&with, with.empty() ? "with " : ", ", name, " = ", value);
  if (!with.empty()) f.diagnostic.notes.push_back(std::move(with));
}

bool IsError(const Finding& f) {
  return f.diagnostic.severity == ir::Severity::kError;
}

Verdict VerdictOf(const CheckReport& report) {
  bool errors =
      std::any_of(report.findings.begin(), report.findings.end(), IsError);
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
  std::vector<UndefinedUse> undefined;
  for (const Part& part : parts) {
    const auto& all = part.findings.all();
    std::vector<Finding> told = report::FollowUp({all.begin(), all.end()});
    std::move(told.begin(), told.end(), std::back_inserter(out.findings));
    open.AddAll(part.open);
    out.scope.Add(part.scope);
    out.errors.Append(part.errors);
    if (part.undefined) undefined.push_back(*part.undefined);
  }
  out.not_judged = ReadsNotShownOf(undefined).not_judged;
  for (Finding& f : out.findings) {
    MakeStrict(options, f.diagnostic);
    for (ir::Diagnostic& d : f.follows) MakeStrict(options, d);
    SayWith(f);
    for (std::list<Finding>* others : {&f.elsewhere, &f.follows_elsewhere}) {
      for (Finding& e : *others) {
        MakeStrict(options, e.diagnostic);
        SayWith(e);
      }
    }
    if (f.witness.empty() && f.no_witness.empty())
      f.no_witness = "no schedule is needed to see it";
  }
  // What is wrong is read before what is doubtful.
  std::stable_partition(out.findings.begin(), out.findings.end(), IsError);
  out.open = open.all();
  out.verdict = VerdictOf(out);
  return out;
}

}  // namespace tilesim::checkers::pipeline
