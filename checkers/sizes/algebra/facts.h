// What is known of the natural numbers that polynomials are over: polynomials
// that are at least 0.
//
//   Facts facts;
//   facts.Add(Polynomial(131) - q);
//   facts.AtLeast0(q - Polynomial(132))        // false, whatever q is
//   facts.AtLeast0(q - Polynomial(5))          // not certain
//
// A conclusion is a sum of facts, each so many times or times a symbol, and of
// symbols: what takes more to see is not certain.
#ifndef TILESIM_CHECKERS_SIZES_ALGEBRA_FACTS_H_
#define TILESIM_CHECKERS_SIZES_ALGEBRA_FACTS_H_

#include <optional>
#include <vector>

#include "checkers/sizes/algebra/polynomial.h"

namespace tilesim::checkers::sizes::algebra {

class Facts {
 public:
  // Nothing is added that needs no saying.
  void Add(Polynomial at_least_0);
  void Replace(Symbol symbol, const Polynomial& value);
  const std::vector<Polynomial>& all() const { return all_; }

  // Seen to contradict each other.
  bool contradictory() const;

  // Whether it is at least 0 for all values of the symbols for which the facts
  // hold, less for all, or neither is certain.
  std::optional<bool> AtLeast0(const Polynomial& p) const;
  // Whether it is 0 for all, for none, or neither is certain.
  std::optional<bool> IsZero(const Polynomial& p) const;

 private:
  bool Follows(const Polynomial& p, int steps) const;
  // With the fact taken from p so often that the term is gone.
  bool FollowsWithout(const Polynomial::Monomial& monomial, const Polynomial& p,
                      const Polynomial& fact, int steps) const;

  std::vector<Polynomial> all_;
};

}  // namespace tilesim::checkers::sizes::algebra

#endif  // TILESIM_CHECKERS_SIZES_ALGEBRA_FACTS_H_
