#include "cli/add_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checkers/report/findings.h"

namespace tilesim::cli {
using checkers::Verdict;
using checkers::report::Finding;

namespace {

bool Has(const std::vector<Finding>& all, const Finding& f) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Finding& g) { return g.key == f.key; });
}

// A finding, or other places of one that is there.
void Add(Finding f, std::vector<Finding>& all) {
  f.every_schedule = false;
  auto known = std::find_if(all.begin(), all.end(),
                            [&](const Finding& g) { return g.key == f.key; });
  if (known != all.end())
    AddPlaces(f, *known);
  else
    all.push_back(std::move(f));
}

void Add(std::vector<std::string>& from, std::vector<std::string>& to) {
  for (std::string& text : from) {
    if (std::find(to.begin(), to.end(), text) == to.end())
      to.push_back(std::move(text));
  }
}

}  // namespace

void AddReport(checkers::CheckReport other, checkers::CheckReport& report) {
  const bool errors = report.verdict == Verdict::kFindings ||
                      other.verdict == Verdict::kFindings;
  const bool clean =
      report.verdict == Verdict::kClean && other.verdict == Verdict::kClean;
  report.verdict = errors  ? Verdict::kFindings
                   : clean ? Verdict::kClean
                           : Verdict::kIncomplete;
  for (Finding& f : report.findings) f.every_schedule &= Has(other.findings, f);
  for (Finding& f : other.findings) Add(std::move(f), report.findings);
  Add(other.open, report.open);
  Add(other.not_judged, report.not_judged);
  checkers::CheckScope& scope = report.scope;
  scope.all_interleavings &= other.scope.all_interleavings;
  scope.assumed.Add(other.scope.assumed);
  scope.states += other.scope.states;
}

}  // namespace tilesim::cli
