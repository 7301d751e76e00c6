#include "checkers/grid/count.h"

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

}  // namespace tilesim::checkers::grid
