#include "checkers/grid/some_ctas.h"

namespace tilesim::checkers::grid {
using solver::All;
using solver::Eq;

namespace {

SomeCtas Of(const Accesses& all, size_t d, const Linear& number,
            const Linear& is, const Linear& ctas) {
  SomeCtas out{Eq(number, is), all.grid};
  out.ctas[d] = ctas;
  return out;
}

// Of each n CTAs along a dimension one has a remainder by n: with the last one
// there are grid / n, rounded down, and no fewer with another.
void InEach(Accesses& all, size_t d, std::vector<SomeCtas>& out) {
  const Linear cta = all.cta[d], grid = all.grid[d];
  const Var terms = all.terms.size();
  for (Var v = 0; v < terms; ++v) {
    const auto quotient = all.terms[v].quotient;
    if (!quotient || quotient->of != cta || !all.terms.OfLaunch(quotient->by))
      continue;
    const Linear by = quotient->by;
    const Terms::Division parts = all.terms.PartsOf(grid, by, false);
    const Linear ctas = parts.remainder == Linear(0)
                            ? parts.quotient
                            : all.terms.Divide(grid, by);
    out.push_back(Of(all, d, quotient->remainder, 0, ctas));
    out.push_back(Of(all, d, quotient->remainder, by - 1, ctas));
  }
}

// Of clusters of several dimensions: rank 0.
SomeCtas FirstOfClusters(Accesses& all) {
  SomeCtas out{Formula::True(), all.grid};
  for (size_t d = 0; d < all.cta.size(); ++d) {
    const int64_t size = all.cluster_size[d];
    if (size == 1) continue;
    out.are = All({out.are, Eq(all.terms.Remainder(all.cta[d], size), 0)});
    out.ctas[d] = all.terms.Divide(all.grid[d], size);
  }
  return out;
}

}  // namespace

// The first of several that will do is taken: those of more CTAs come first.
std::vector<SomeCtas> ChoicesOfCtas(Accesses& all) {
  std::vector<SomeCtas> out;
  const SomeCtas first = FirstOfClusters(all);
  if (!first.are.is_true()) out.push_back(first);
  for (size_t d = 0; d < all.cta.size(); ++d) {
    if (all.grid[d] != Linear(1)) InEach(all, d, out);
  }
  for (size_t d = 0; d < all.cta.size(); ++d) {
    if (all.grid[d] == Linear(1)) continue;
    out.push_back(Of(all, d, all.cta[d], 0, 1));
    out.push_back(Of(all, d, all.cta[d], all.grid[d] - 1, 1));
  }
  return out;
}

}  // namespace tilesim::checkers::grid
