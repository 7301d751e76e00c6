// What the CTA does that has drawn the last number of a word, told as what one
// of those that count in the word does whom their place in the grid names.
#ifndef TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_
#define TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_

#include <array>
#include <optional>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// One CTA of those that count in each word, if it counts, and how many such
// there are along each dimension of the grid.
struct Representatives {
  Formula are, counts;
  std::array<Linear, 3> ctas;
};

// Of an access that the last to count makes. nullopt: it is not shown that all
// that count in a word would make it at one place. Others than one of each word
// may be chosen: then they make it at one place, too. `terms`: those of
// `accesses`, and more.
std::optional<Representatives> CountTogether(const Accesses& accesses,
                                             const Words& words,
                                             const Access& access,
                                             Terms& terms);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_
