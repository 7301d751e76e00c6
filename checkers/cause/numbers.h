// Texts with other numbers (wrong_number.h): what is gone in the run of one
// follows from the number that was wrong.
#ifndef TILESIM_CHECKERS_CAUSE_NUMBERS_H_
#define TILESIM_CHECKERS_CAUSE_NUMBERS_H_

#include "checkers/cause/explanation.h"

namespace tilesim::checkers::cause {

// Bytes that are expected, or, unless `too_few_bytes`, arrivals that are
// counted as well.
void TellWrongNumbers(Explanation& x, bool too_few_bytes);
// More arrivals come than an init counts, which stops the run.
void TellTooManyArrivals(Explanation& x);
// An init that counts fewer arrivals than come each time: phases are over too
// soon. With the right count nothing is wrong.
bool TellCountsTooFew(Explanation& x);
// A wait that leaves too many groups pending.
void TellPending(Explanation& x);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_NUMBERS_H_
