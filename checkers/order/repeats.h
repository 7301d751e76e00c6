// Waits that pass on a phase which their threads have seen already, or on the
// one before the first of a fresh barrier, or that wait for a phase after one
// that their threads have not seen. None of them need be a mistake; where
// something goes wrong, it may be what it comes of (checkers/cause).
#ifndef TILESIM_CHECKERS_ORDER_REPEATS_H_
#define TILESIM_CHECKERS_ORDER_REPEATS_H_

#include <cstdint>
#include <vector>

#include "checkers/order/peeked.h"
#include "checkers/report/findings.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::order {

struct Repeat {
  int32_t event = -1;   // the wait
  int32_t before = -1;  // that has seen the phase; -1: the barrier is fresh
  // It is stuck at a phase, and the one before is over and not seen; `before`
  // saw the last that was; -1: none was.
  bool ahead = false;
};

// The first of each op: those that have seen the phase, then fresh ones, then
// those that are ahead.
std::vector<Repeat> RepeatsOf(const run::Log& log);

// That is a finding; nullptr: it was told already.
report::Finding* Tell(const run::Log& log, const Repeat& repeat,
                      report::Findings& findings);

// A peek for another phase than the wait that its answer may pass over; nullptr
// too where there is no such wait.
report::Finding* Tell(const run::Log& log, const OtherPhase& other,
                      report::Findings& findings);

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_REPEATS_H_
