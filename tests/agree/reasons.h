// The reasons that sources give for a verdict that is open, as they stand
// there.
#ifndef TILESIM_TESTS_AGREE_REASONS_H_
#define TILESIM_TESTS_AGREE_REASONS_H_

#include <set>
#include <string>
#include <vector>

namespace tilesim::checkers {

// The begin of each sentence that a file gives as a reason.
std::set<std::string> ReasonsIn(const std::string& path);

// The files below a folder that are no tests.
std::vector<std::string> Sources(const std::string& folder);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_REASONS_H_
