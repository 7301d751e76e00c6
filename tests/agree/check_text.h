// `check` of a program that a test has written.
#ifndef TILESIM_TESTS_AGREE_CHECK_TEXT_H_
#define TILESIM_TESTS_AGREE_CHECK_TEXT_H_

#include <string>

#include "checkers/check.h"

namespace tilesim::checkers {

// A text that is no program fails the test.
CheckReport CheckText(const std::string& text, const CheckOptions& options);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_CHECK_TEXT_H_
