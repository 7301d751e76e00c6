// Orders that are taken to be there: what is gone with one follows from its
// lack.
#ifndef TILESIM_CHECKERS_CAUSE_LACKS_H_
#define TILESIM_CHECKERS_CAUSE_LACKS_H_

#include "checkers/cause/explanation.h"

namespace tilesim::checkers::cause {

// The lack of order of which most comes is the cause of that. False: of none
// comes anything but itself.
bool TellLacks(Explanation& x);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_LACKS_H_
