// Runs in which waits that pass on a phase that their threads have seen wait
// for the next one.
#ifndef TILESIM_CHECKERS_CAUSE_PATIENT_WAITS_H_
#define TILESIM_CHECKERS_CAUSE_PATIENT_WAITS_H_

#include "checkers/cause/explanation.h"

namespace tilesim::checkers::cause {

// The wait, or the waits together, after which least is wrong; all that is gone
// then follows from them. False: none make it better.
bool TellWaits(Explanation& x);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_PATIENT_WAITS_H_
