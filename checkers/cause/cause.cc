#include "checkers/cause/cause.h"

#include <algorithm>
#include <utility>

#include "checkers/cause/by_kind.h"
#include "checkers/cause/explanation.h"
#include "checkers/cause/lacks.h"
#include "checkers/cause/missing_wait.h"
#include "checkers/cause/numbers.h"
#include "checkers/cause/other_texts.h"
#include "checkers/cause/patient_waits.h"
#include "checkers/order/peeked.h"
#include "checkers/order/repeats.h"
#include "checkers/run/peeks.h"

namespace tilesim::checkers::cause {
using footprint::Fragments;
using report::Finding;
using report::Findings;
using run::Log;
using run::RunOptions;

namespace {

// A run whose peeks were answered as they came hides waits: on with one in
// which none is answered with yes. Whether there is one.
bool AnswerNo(Explanation& x) {
  if (!x.options().peeks || run::PeeksOf(x.code()).asks.empty()) return false;
  for (const run::Event& e : x.log().events) {
    if (std::any_of(e.uses.begin(), e.uses.end(), run::IsPeek)) return false;
  }
  x.GoOnWith(x.Run({}), {});
  return true;
}

// What a run without any yes does not have comes of the peek that is answered
// for another phase.
void TellPeeks(Explanation& x) {
  const order::OtherPhase other = order::PeekForAnotherPhase(x.log());
  if (other.peek < 0) return;
  Findings told;
  const Finding* cause = order::Tell(x.log(), other, told);
  if (cause == nullptr) return;
  const auto& all = x.findings().all();
  if (std::any_of(all.begin(), all.end(), [&](const Finding& f) {
        return f.because.empty() && !x.IsCause(f) && !x.seen().Has(f);
      }))
    x.TellCause({*cause}, x.seen());
}

void TellRepaired(Log& log, const RunOptions& options, Fragments& fragments,
                  Findings& findings) {
  Explanation x(log, options, fragments, findings);
  if (!x.may_run()) return;
  if (AnswerNo(x)) TellPeeks(x);
  if (TellNotAdvanced(x) || TellMissingWait(x) || TellMisdirected(x) ||
      TellCountsTooFew(x))
    return;
  while (TellWaits(x)) {
  }
  if (TellStartsAgain(x) || (!x.has_causes() && TellRewritten(x))) return;
  // Where a phase is over too soon, orders are lacking as well.
  TellWrongNumbers(x, true);
  while (TellLacks(x)) {
  }
  TellWrongNumbers(x, false);
  TellTooManyArrivals(x);
  TellPending(x);
}

}  // namespace

void Explain(Log& log, const RunOptions& options, Fragments& fragments,
             Findings& findings) {
  if (!findings.has_errors()) return;
  TellRepaired(log, options, fragments, findings);
  TellByKind(*log.code, findings);
}

}  // namespace tilesim::checkers::cause
