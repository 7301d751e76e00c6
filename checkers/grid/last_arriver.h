// What the CTA does that has drawn the last number of a word, told as what one
// of those that count in the word does whom their place in the grid names.
#ifndef TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_
#define TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_

#include <cstddef>
#include <optional>
#include <set>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// Of an access that the last to count makes, and nobody else: the dimensions of
// the grid along which CTAs count in one word and would make it at one place.
// nullopt: it is not shown that all that count in a word would.
std::optional<std::set<size_t>> CountTogether(const Accesses& accesses,
                                              const Words& words,
                                              const Access& access);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_LAST_ARRIVER_H_
