#include "checkers/grid/in_units.h"

#include <cstdint>
#include <numeric>

namespace tilesim::checkers::grid {
namespace {

// The largest number that divides it, whatever its variables are; 0 of 0.
int64_t UnitOf(const Linear& l) { return std::gcd(l.Content(), l.constant()); }

Linear Exactly(const Linear& l, int64_t by) {
  Linear out = l.constant() / by;
  for (const auto& [v, c] : l.terms()) out += Linear::Of(v) * (c / by);
  return out;
}

}  // namespace

// With begin c b and step c s, c (b + i s) < high exactly if b + i s is below
// high / c, rounded up.
void CountInUnits(Access::Iteration& loop, Terms& terms) {
  if (!loop.counts || loop.low.overflowed() || loop.step.overflowed()) return;
  const int64_t unit = std::gcd(UnitOf(loop.low), UnitOf(loop.step));
  if (unit <= 1) return;
  loop.low = Exactly(loop.low, unit);
  loop.step = Exactly(loop.step, unit);
  loop.high = terms.Divide(loop.high + (unit - 1), unit);
}

// Of natural numbers of and more, more + of / by is (of + more * by) / by; and
// that is cdiv(T - x, by) where T - x + by - 1 is what is divided.
void CountFromThePlace(Access::Iteration& loop, const Accesses& all) {
  const auto& terms = loop.high.terms();
  const int64_t more = loop.high.constant();
  if (!loop.counts || loop.low != Linear(0) || loop.step != Linear(1) ||
      terms.size() != 1 || terms.begin()->second != 1 || more < 0)
    return;
  const auto& quotient = all.terms[terms.begin()->first].quotient;
  if (!quotient) return;
  for (size_t d = 0; d < all.grid.size(); ++d) {
    const Linear tiles =
        quotient->of + all.grid[d] * (more - 1) + all.cta[d] + 1;
    if (quotient->by != all.grid[d] || !all.cta[d].variable() ||
        !all.terms.OfLaunch(tiles))
      continue;
    loop.low = all.cta[d];
    loop.step = all.grid[d];
    loop.high = tiles;
    return;
  }
}

}  // namespace tilesim::checkers::grid
