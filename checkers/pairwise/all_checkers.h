// Every checker, in the order in which findings are listed.
#ifndef TILESIM_CHECKERS_PAIRWISE_ALL_CHECKERS_H_
#define TILESIM_CHECKERS_PAIRWISE_ALL_CHECKERS_H_

#include <memory>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

std::vector<std::unique_ptr<Checker>> AllCheckers();

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_ALL_CHECKERS_H_
