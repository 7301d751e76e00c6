#include "checkers/solver/elimination.h"

#include <algorithm>
#include <optional>

namespace tilesim::checkers::solver {
namespace {

int64_t CoefficientOf(Var v, const Linear& l) {
  const auto& terms = l.terms();
  auto at =
      std::lower_bound(terms.begin(), terms.end(), v,
                       [](const auto& term, Var b) { return term.first < b; });
  return at != terms.end() && at->first == v ? at->second : 0;
}

// Rows with a variable in them, as they are with its value in its place.
using Changed = std::vector<std::pair<Linear*, Linear>>;

// False: a coefficient leaves 64 bits.
bool Substitute(Var v, const Linear& value, std::vector<Linear>& rows,
                Changed& out) {
  const Linear change = value - Linear::Of(v);
  for (Linear& row : rows) {
    const int64_t c = CoefficientOf(v, row);
    if (c == 0) continue;
    out.emplace_back(&row, row + change * c);
    if (out.back().second.overflowed()) return false;
  }
  return true;
}

}  // namespace

Elimination::Elimination(Polyhedron whole) : rest_(std::move(whole)) {
  // One that could not be solved may be once others are.
  for (bool more = true; more;) {
    const size_t before = solved_.size();
    for (const Linear& equation : rest_.zero) Solve(equation);
    std::erase_if(rest_.zero, [](const Linear& l) { return l == Linear(0); });
    more = solved_.size() > before;
  }
  DropImplied();
}

// What it is solved for is out of all rows then, out of this one too.
void Elimination::Solve(const Linear& equation) {
  auto unit = std::find_if(
      equation.terms().begin(), equation.terms().end(),
      [](const auto& t) { return t.second == 1 || t.second == -1; });
  if (unit == equation.terms().end()) return;
  const auto [v, sign] = *unit;
  Linear value = (Linear::Of(v) * sign - equation) * sign;
  Changed changed;
  bool fits = !value.overflowed() &&
              Substitute(v, value, rest_.zero, changed) &&
              Substitute(v, value, rest_.natural, changed);
  if (!fits) return;
  for (auto& [row, now] : changed) *row = std::move(now);
  solved_.emplace_back(v, std::move(value));
}

// What has no variables, and of inequalities that differ in their constant all
// but the narrowest.
void Elimination::DropImplied() {
  std::vector<std::pair<Linear, int64_t>> parts;
  for (const Linear& l : rest_.natural) {
    contradictory_ |= l.is_constant() && l.constant() < 0;
    if (!l.is_constant()) parts.emplace_back(l - l.constant(), l.constant());
  }
  std::sort(parts.begin(), parts.end());
  rest_.natural.clear();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || parts[i].first != parts[i - 1].first)
      rest_.natural.push_back(parts[i].first + parts[i].second);
  }
  std::erase_if(rest_.zero, [&](const Linear& l) {
    contradictory_ |= l.is_constant() && l.constant() != 0;
    return l.is_constant();
  });
}

bool Elimination::Complete(std::vector<int64_t>& values) const {
  for (auto at = solved_.rbegin(); at != solved_.rend(); ++at) {
    std::optional<int64_t> value = at->second.At(values);
    if (!value) return false;
    values[static_cast<size_t>(at->first)] = *value;
  }
  return true;
}

}  // namespace tilesim::checkers::solver
