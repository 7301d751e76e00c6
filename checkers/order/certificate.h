// Whether one run stands for all: conditions 0 to 6 of docs/certificate.md 3,
// judged in the enforced order of that run. If all hold, every schedule gives
// every wait the same phase and every contribution the same place, so what is
// true of this run is true of all. A condition that fails is a bug by itself.
//
//   Certificate c = Certify(log, findings);
//   if (c.holds) ...    // the run's verdict is the verdict of all
#ifndef TILESIM_CHECKERS_ORDER_CERTIFICATE_H_
#define TILESIM_CHECKERS_ORDER_CERTIFICATE_H_

#include <string>
#include <vector>

#include "checkers/report/findings.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::order {

struct Certificate {
  bool holds = true;
  // Every schedule executes the ops of the run.
  bool determined = true;
  // It holds of each lane of a warp by itself (docs/certificate.md 5.2).
  bool of_lanes = false;
  // Conditions that failed without being a bug for sure.
  std::vector<std::string> open;
};

// Failed conditions are added to `findings`: they happen in some schedule,
// not necessarily in this run.
Certificate Certify(const run::Log& log, report::Findings& findings);

// The same for condition 0 alone, with what memory shows instead of what comes
// before: who polls a flag comes late enough, and may know nothing all the
// same.
bool OfLives(const report::Finding& f);  // of that condition
void CheckInits(const run::Log& log, report::Findings& findings);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_CERTIFICATE_H_
