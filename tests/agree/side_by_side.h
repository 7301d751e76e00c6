// CTAs that talk: judged one by one by `check`, and side by side, schedule by
// schedule.
#ifndef TILESIM_TESTS_AGREE_SIDE_BY_SIDE_H_
#define TILESIM_TESTS_AGREE_SIDE_BY_SIDE_H_

#include <string>

#include "checkers/check.h"

namespace tilesim::checkers {

// What the search of all CTAs side by side says; kIncomplete: nothing for sure.
Verdict SearchedSideBySide(const std::string& text);

// Whether something is wrong with it. A test fails in which that is not what a
// search finds, or that is not decided.
bool WrongEitherWay(const std::string& text);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_SIDE_BY_SIDE_H_
