// By how much scalars of a family move on from one iteration of a loop to the
// next, whatever form they are in.
#ifndef TILESIM_CHECKERS_SIZES_ALGEBRA_MOVED_H_
#define TILESIM_CHECKERS_SIZES_ALGEBRA_MOVED_H_

#include <optional>

#include "checkers/sizes/algebra/symbolic.h"

namespace tilesim::checkers::sizes::algebra {

// What is to be added to `from` for `to`, as a quotient: k / 4 moves on by n /
// 4 where k does by n. nullopt: cannot be said.
std::optional<Symbolic> Moved(const Symbolic& from, const Symbolic& to);
// `moved` added so many times.
Symbolic MovedOn(const Symbolic& value, const Symbolic& moved,
                 const Polynomial& times);

}  // namespace tilesim::checkers::sizes::algebra

#endif  // TILESIM_CHECKERS_SIZES_ALGEBRA_MOVED_H_
