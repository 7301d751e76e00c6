// Texts with one small change (rewrites.h) in whose run nothing is wrong: all
// that is told follows from what the change mends.
#ifndef TILESIM_CHECKERS_CAUSE_OTHER_TEXTS_H_
#define TILESIM_CHECKERS_CAUSE_OTHER_TEXTS_H_

#include "checkers/cause/explanation.h"

namespace tilesim::checkers::cause {

bool TellRewritten(Explanation& x);
// A counter that starts again with each turn of a loop: waits that go by it
// pass on phases that their threads have seen, which are causes by then.
bool TellStartsAgain(Explanation& x);
// A variable that a loop goes by, and that stays what it is.
bool TellNotAdvanced(Explanation& x);
// An arrival at another barrier than it is meant for.
bool TellMisdirected(Explanation& x);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_OTHER_TEXTS_H_
