#include "cli/uninitialised_reads.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::cli {

bool HasUninitialised(const checkers::CheckReport& report) {
  return std::any_of(
      report.findings.begin(), report.findings.end(),
      [](const auto& f) { return f.diagnostic.code == "uninit/shared"; });
}

std::set<std::string> UninitialisedBut(
    const std::vector<checkers::CheckReport>& others,
    const checkers::CheckReport& report) {
  std::set<std::string> out;
  for (const auto& f : report.findings) {
    if (f.diagnostic.code.name().starts_with("uninit/")) out.insert(f.key);
  }
  for (const checkers::CheckReport& other : others) {
    for (const auto& f : other.findings) out.erase(f.key);
  }
  return out;
}

void LeaveOpen(const std::vector<checkers::CheckReport>& others,
               checkers::CheckReport& report) {
  using checkers::report::Finding;
  const std::set<std::string> keys = UninitialisedBut(others, report);
  std::erase_if(report.findings, [&](const Finding& f) {
    if (!keys.contains(f.key)) return false;
    report.open.push_back(ir::Cat(
        "line ", f.diagnostic.span.text_line(),
        ": whether what is read was written, data decide, which choose one "
        "of two ways that both write"));
    return true;
  });
  const bool wrong = std::any_of(
      report.findings.begin(), report.findings.end(), [](const Finding& f) {
        return f.diagnostic.severity == ir::Severity::kError;
      });
  if (!wrong) report.verdict = checkers::Verdict::kIncomplete;
}

}  // namespace tilesim::cli
