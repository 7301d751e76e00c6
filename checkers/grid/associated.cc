#include "checkers/grid/associated.h"

#include <vector>

namespace tilesim::checkers::grid {
namespace {

void Regroup(Terms& t, const Linear& product, const Linear& n,
             const Linear& all) {
  if (!product.variable()) return;
  const std::vector<solver::Product> products = t[*product.variable()].products;
  for (const solver::Product& p : products) {
    if (p.value != product) continue;
    for (const Linear& other : {t.Multiply(p.a, t.Multiply(p.b, n)),
                                t.Multiply(p.b, t.Multiply(p.a, n))}) {
      if (other != all) t.Define(all, solver::Eq(all, other));
    }
  }
}

}  // namespace

Linear Associated(Terms& terms, const Linear& x, const Linear& y) {
  const Linear out = terms.Multiply(x, y);
  if (!out.variable()) return out;
  Regroup(terms, x, y, out);
  Regroup(terms, y, x, out);
  return out;
}

}  // namespace tilesim::checkers::grid
