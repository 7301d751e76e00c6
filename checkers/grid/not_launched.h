// Sizes that a kernel's text permits and at which no launch can be made.
#ifndef TILESIM_CHECKERS_GRID_NOT_LAUNCHED_H_
#define TILESIM_CHECKERS_GRID_NOT_LAUNCHED_H_

#include <optional>
#include <string>

#include "checkers/grid/accesses.h"
#include "ir/bind.h"

namespace tilesim::checkers::grid {

struct NotLaunched {
  ir::Overrides sizes;
  std::string why;  // "the grid is empty"
};

// An example with the sizes that are `given`, if the solver finds one.
std::optional<NotLaunched> SizesNotLaunched(const Accesses& accesses,
                                            const ir::Overrides& given);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_NOT_LAUNCHED_H_
