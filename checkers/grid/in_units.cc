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

}  // namespace tilesim::checkers::grid
