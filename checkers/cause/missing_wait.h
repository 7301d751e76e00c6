// A wait that is missing, for barriers that nothing waits for
// (order/unawaited.h). That it is what others follow from is shown as for every
// cause: by a run of the text with one such wait more, of the phase after the
// last one that its threads have seen.
#ifndef TILESIM_CHECKERS_CAUSE_MISSING_WAIT_H_
#define TILESIM_CHECKERS_CAUSE_MISSING_WAIT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "checkers/cause/changed_text.h"
#include "checkers/cause/explanation.h"
#include "checkers/order/unawaited.h"
#include "checkers/report/findings.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::cause {

// Where one may be missing.
struct WaitPlace {
  order::Unawaited barriers;
  const ir::Stmt* at = nullptr;                   // beside which the wait goes
  bool after = false;                             // behind it, not before
  std::vector<std::vector<ir::Subscript>> index;  // of the barrier
};

// Before ops that the findings are about, and behind those that signal.
std::vector<WaitPlace> PlacesForWaits(const machine::Code& code,
                                      const report::Findings& findings);

struct WithWait {
  std::unique_ptr<ChangedText> text;
  int32_t wait = -1;  // the op
};
// The text with that wait; nullptr: it is none that can be launched.
std::unique_ptr<WithWait> AddWait(const machine::Code& code,
                                  const WaitPlace& place);

// That it is missing. `fresh`: it passes on a fresh barrier.
report::Finding* Tell(const machine::Code& code, const WaitPlace& place,
                      bool fresh, report::Findings& findings);

// A wait for barriers that nothing waits for, with which most is not wrong any
// more, and nothing else is, is the cause of that. False: there is none.
bool TellMissingWait(Explanation& x);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_MISSING_WAIT_H_
