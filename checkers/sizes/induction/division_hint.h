// How a family of which members behave differently had better be divided. A
// hint is never wrong, only useless: whatever way a size cell is divided, each
// of its parts is shown by itself.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_DIVISION_HINT_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_DIVISION_HINT_H_

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/induction/ring_following.h"

namespace tilesim::checkers::sizes::induction {

// So many steps of a symbol at a time.
struct Stride {
  algebra::Symbol symbol = -1;
  int64_t steps = 1;

  friend bool operator==(const Stride&, const Stride&) = default;
};

// Of a symbol of the family that the number has, so that it varies by multiples
// of `by`; nullopt: it does already, or no symbol by itself makes it.
std::optional<Stride> StrideFor(const algebra::Polynomial& number, int64_t by);

struct DivisionHint {
  // The number that decides differently, if it is one; where it decides
  // whether a loop is left, the loop takes steps of `step`.
  std::optional<algebra::Polynomial> number;
  int64_t step = 1;
  // Or of this, and how often it goes around is a quotient by it.
  algebra::Polynomial step_of_sizes;
  // The family without its smallest values of these may be alike.
  std::set<algebra::Symbol> symbols;
  // So many of them, if not one.
  int64_t values = 1;
  // Or the part of it where this symbol grows by so many steps at a time.
  std::optional<Stride> stride;
  // What decides is the product of these two.
  std::optional<std::pair<algebra::Symbol, algebra::Symbol>> product;

  void Blame(const algebra::Polynomial& p);
  // The number decides, and products of symbols in it.
  void BlameNumber();
  // A number that is not in step with its ring may be, if sizes take larger
  // steps.
  void WantFit(const std::optional<Unfit>& unfit);
  // Of a loop with so many iterations more: so many of them had better be one;
  void WantWholeRounds(const algebra::Polynomial& iterations, int64_t rounds);
  // or the run had better have so many more.
  void WantIterations(const algebra::Polynomial& iterations, int64_t lacking);
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_DIVISION_HINT_H_
