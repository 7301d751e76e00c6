#include "checkers/sizes/partition/growth.h"

#include "checkers/sizes/partition/division_strategy.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;

std::optional<Symbol> SymbolForInstance(const SizeCell& cell) {
  for (const Polynomial& fact : cell.facts.all()) {
    // At the cell's lowest values a fact is its constant: below 0, they are no
    // member, and a symbol that raises it leads to one.
    if (fact.base() >= 0) continue;
    for (const auto& [monomial, c] : fact.terms()) {
      if (c > 0) return monomial[0];
    }
  }
  return std::nullopt;
}

Symbol SymbolForPermission(
    const SizeCell& cell,
    absl::FunctionRef<bool(const SizeCell& instance)> permitted) {
  // The last declared first: parameters often bound those declared after them.
  Symbol first = -1;
  for (auto axis = cell.axes.rbegin(); axis != cell.axes.rend(); ++axis) {
    first = axis->first;
    SizeCell more = cell;
    for (int64_t n = 0; n < kMaxSteps; ++n) {
      more.Raise(first);
      if (!more.Settle() || more.axes.count(first) == 0) break;
      if (permitted(more)) return first;
    }
  }
  return first;
}

}  // namespace tilesim::checkers::sizes::partition
