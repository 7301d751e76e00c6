#include "checkers/grid/count.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilesim::checkers::grid {

void Count::Multiply(Terms& terms, const Linear& by,
                     const std::vector<Linear>& divisors) {
  if (by.is_constant()) {
    constant *= by.constant();
    return;
  }
  for (const Linear& d : divisors) {
    if (by.terms().size() < 2 || d.terms().empty() || d == by) continue;
    const Terms::Division parts = terms.PartsOf(by, d, false);
    if (parts.remainder != Linear(0)) continue;
    factors.push_back(d);
    return Multiply(terms, parts.quotient, divisors);
  }
  if (by.terms().size() == 1 && by.constant() == 0) {
    auto [v, c] = by.terms()[0];
    for (const solver::Product& p : terms[v].products) {
      if (p.value != Linear::Of(v)) continue;
      constant *= c;
      const Linear b = p.b;
      Multiply(terms, Linear(p.a), divisors);
      return Multiply(terms, b, divisors);
    }
    if (c > 1) {
      constant *= c;
      return factors.push_back(Linear::Of(v));
    }
  }
  factors.push_back(by);
}

// What is a factor of all stays one; the rest are added up.
Count SumOf(Terms& terms, std::vector<Count> counts,
            const std::vector<Linear>& divisors) {
  for (Count& n : counts) std::sort(n.factors.begin(), n.factors.end());
  Count out{1, counts[0].factors};
  for (const Count& n : counts) {
    std::vector<Linear> both;
    std::set_intersection(out.factors.begin(), out.factors.end(),
                          n.factors.begin(), n.factors.end(),
                          std::back_inserter(both));
    out.factors = std::move(both);
  }
  Linear sum = 0;
  for (const Count& n : counts) {
    std::vector<Linear> rest;
    std::set_difference(n.factors.begin(), n.factors.end(), out.factors.begin(),
                        out.factors.end(), std::back_inserter(rest));
    Linear product = n.constant;
    for (const Linear& factor : rest) product = terms.Multiply(product, factor);
    sum = terms.Usable(sum + product);
  }
  out.Multiply(terms, sum, divisors);
  return out;
}

}  // namespace tilesim::checkers::grid
