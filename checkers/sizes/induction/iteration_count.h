// How often larger members of a family turn a loop more than the smallest: from
// the number that decides whether the loop goes on, and what an iteration takes
// from it.
//
//   number  K / 64 - 1 - k = n + 64 q    it goes on while that is at least 0
//   moved   1                            by which it was more an iteration ago
//   iterations   n + 64 q                after those it is 0 for all
//
// With so many iterations taken off the number, what is left must be decided
// alike for all members: else they would part after them again.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_ITERATION_COUNT_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_ITERATION_COUNT_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/induction/division_hint.h"

namespace tilesim::checkers::sizes::induction {

struct IterationCount {
  // nullopt: no such number.
  std::optional<algebra::Polynomial> iterations;
  // It is none because what is left decides differently, too: the number then,
  // if iterations make a difference at all, and steps that would make it even.
  bool leaves_rest = false;
  std::optional<algebra::Polynomial> rest;
  std::optional<Stride> stride;
};

IterationCount IterationsFor(
    const algebra::Polynomial& number, const algebra::Polynomial& moved,
    absl::FunctionRef<std::optional<bool>(const algebra::Polynomial&)>
        at_least_0);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_ITERATION_COUNT_H_
