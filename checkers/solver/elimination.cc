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

// False: a coefficient leaves 64 bits.
bool Substitute(Var v, const Linear& value, std::vector<Linear>& all) {
  const Linear change = value - Linear::Of(v);
  for (Linear& l : all) {
    if (int64_t c = CoefficientOf(v, l)) l += change * c;
    if (l.overflowed()) return false;
  }
  return true;
}

}  // namespace

Elimination::Elimination(Polyhedron whole) : rest_(std::move(whole)) {
  // One that could not be solved may be once others are.
  for (size_t i = 0; i < rest_.zero.size();) i = Solve(i) ? 0 : i + 1;
  DropImplied();
}

bool Elimination::Solve(size_t equation) {
  const Linear l = rest_.zero[equation];
  auto unit = std::find_if(
      l.terms().begin(), l.terms().end(),
      [](const auto& t) { return t.second == 1 || t.second == -1; });
  if (unit == l.terms().end()) return false;
  const auto [v, sign] = *unit;
  const Linear value = (Linear::Of(v) * sign - l) * sign;
  Polyhedron less = rest_;
  less.zero.erase(less.zero.begin() + static_cast<std::ptrdiff_t>(equation));
  bool fits = !value.overflowed() && Substitute(v, value, less.zero) &&
              Substitute(v, value, less.natural);
  if (!fits) return false;
  rest_ = std::move(less);
  solved_.emplace_back(v, value);
  return true;
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
