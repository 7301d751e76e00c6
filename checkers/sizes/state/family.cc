#include "checkers/sizes/state/family.h"

#include <algorithm>
#include <iterator>

namespace tilesim::checkers::sizes::state {
using algebra::Polynomial;
using algebra::Symbol;

// `of` = `by` for all members, so a product with `of` is one with `by`: of each
// term that the first term of `of` divides, that many multiples are exchanged.
// The value is unchanged, whether or not the other terms of `of` are there.
Polynomial Rewritten(Polynomial number, const std::vector<Rewrite>& rewrites) {
  for (const Rewrite& r : rewrites) {
    const auto& [factor, unit] = *r.of.terms().begin();
    Polynomial::Terms terms = number.terms();
    for (const auto& [monomial, c] : terms) {
      bool has = std::includes(monomial.begin(), monomial.end(), factor.begin(),
                               factor.end());
      if (!has || c % unit != 0) continue;
      Polynomial::Monomial rest;
      std::set_difference(monomial.begin(), monomial.end(), factor.begin(),
                          factor.end(), std::back_inserter(rest));
      Polynomial times(c / unit);
      for (Symbol s : rest) times = times * Polynomial::Of(s);
      number += times * (r.by - r.of);
    }
  }
  return number;
}

}  // namespace tilesim::checkers::sizes::state
