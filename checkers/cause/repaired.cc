#include "checkers/cause/repaired.h"

#include <algorithm>
#include <string_view>

#include "checkers/order/certificate.h"
#include "checkers/pairwise/check_run.h"

namespace tilesim::checkers::cause {
using footprint::Fragments;
using report::Finding;
using report::Findings;
using report::SignatureOf;
using run::Log;

Findings JudgeRun(const Log& log, Fragments& fragments) {
  Findings out;
  pairwise::CheckRun(log, fragments, out);
  order::Certify(log, out);
  for (const ir::Diagnostic& d : log.findings) out.Add(d);
  return out;
}

bool IsError(const Finding& f) {
  return f.diagnostic.severity == ir::Severity::kError;
}

size_t ErrorsIn(const Findings& findings) {
  return static_cast<size_t>(
      std::count_if(findings.all().begin(), findings.all().end(), IsError));
}

bool HasLike(const Findings& findings, const Finding& wanted) {
  return std::any_of(
      findings.all().begin(), findings.all().end(), [&](const Finding& f) {
        return SignatureOf(f.diagnostic) == SignatureOf(wanted.diagnostic);
      });
}

bool IsOfNumbers(const Finding& f) {
  const std::string_view code = f.diagnostic.code.name();
  return code.starts_with("tx-count/") || code.starts_with("arrival-count/") ||
         code == "deadlock/missing-bytes";
}

}  // namespace tilesim::checkers::cause
