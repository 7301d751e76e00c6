// Every checker, in the order in which findings are listed.
#ifndef TILESIM_CHECKERS_ALL_CHECKERS_H_
#define TILESIM_CHECKERS_ALL_CHECKERS_H_

#include <memory>
#include <vector>

#include "checkers/checks/checker.h"

namespace tilesim::checkers {

std::vector<std::unique_ptr<Checker>> AllCheckers();

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_ALL_CHECKERS_H_
