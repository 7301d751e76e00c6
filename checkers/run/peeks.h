// Peeks: an mbarrier is asked whether a phase is complete, only to pass over
// the wait for it.
//
//   mbarrier.test_wait ready, full[s], parity = p
//   ...
//   if !ready {
//     mbarrier.wait full[s], parity = p
//   }
//
// A canonical run takes every peek for one that is answered with no, so that it
// has the wait. That stands for all answers (docs/certificate.md 5.1) if a peek
// asks for the phase that the wait after it observes (order/peeked.h).
#ifndef TILESIM_CHECKERS_RUN_PEEKS_H_
#define TILESIM_CHECKERS_RUN_PEEKS_H_

#include <cstdint>
#include <map>

#include "checkers/run/log.h"
#include "sim/machine/barrier_use.h"
#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::run {

// By the scalar that has the answer, which decides nothing but whether waits
// are passed over: ops that ask, and those waits. Of PTX by the number that its
// guide gives them (ptx/flow/waits.h).
struct Peeks {
  std::map<int32_t, int32_t> asks, waits;
};
Peeks PeeksOf(const machine::Code& code);

// If the strand's event is a peek: whatever the answer was, it is no. The event
// has a use that stands for it, of the phase that it asks for.
void TakeAsNo(const machine::Code& code, const Peeks& peeks, int32_t strand,
              machine::State& state, Event& event);
// Such a use observes nothing.
bool IsPeek(const machine::BarrierUse& use);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_PEEKS_H_
