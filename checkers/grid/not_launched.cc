#include "checkers/grid/not_launched.h"

#include <utility>
#include <vector>

#include "checkers/grid/example.h"
#include "checkers/grid/question.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Any;
using solver::Eq;
using solver::Lt;
using solver::Ne;

namespace {

using Cta = Question::Cta;

// Sizes at which one of `any` holds, if there are: at half of them together, as
// long as there are such.
std::optional<ir::Overrides> SizesOf(const Accesses& all, const Formula& any) {
  std::optional<ir::Overrides> out;
  std::optional<int64_t> below;
  for (;;) {
    Question q(all.terms);
    q.Require(all.launch, Cta::kFirst);
    q.Require(any, Cta::kFirst);
    Linear sum;
    for (const auto& [name, value] : all.params)
      sum += q.Of(value, Cta::kFirst);
    if (below) q.Require(Lt(sum, *below));
    const solver::Point at = q.Answer({.points = 200});
    if (at.answer != solver::Answer::kSome) return out;
    out = ExampleAt(all, q, at.values).sizes;
    int64_t total = 0;
    for (const auto& [name, value] : *out) total += value;
    if (total <= 1) return out;
    below = total / 2 + 1;
  }
}

}  // namespace

std::optional<NotLaunched> SizesNotLaunched(const Accesses& accesses,
                                            const ir::Overrides& given) {
  if (!accesses.limit.empty() || accesses.params.empty()) return std::nullopt;
  std::vector<Formula> empty, parts;
  Terms terms = accesses.terms;
  for (size_t d = 0; d < accesses.grid.size(); ++d) {
    empty.push_back(Lt(accesses.grid[d], 1));
    const int64_t size = accesses.cluster_size[d];
    if (size > 1)
      parts.push_back(Ne(terms.Remainder(accesses.grid[d], size), 0));
  }
  Accesses with = accesses;
  with.terms = std::move(terms);
  for (const auto& [name, value] : accesses.params) {
    const auto fixed = given.find(name);
    if (fixed != given.end())
      with.launch = All({with.launch, Eq(value, fixed->second)});
  }
  if (auto sizes = SizesOf(with, Any(std::move(empty))))
    return NotLaunched{*sizes, "the grid is empty"};
  if (auto sizes = SizesOf(with, Any(std::move(parts))))
    return NotLaunched{*sizes, "the grid is not whole clusters"};
  return std::nullopt;
}

}  // namespace tilesim::checkers::grid
