#include "checkers/sizes/partition/representative.h"

#include <algorithm>
#include <array>

#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {
using algebra::NumberOf;
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using state::Family;
using state::GridOf;
using state::kAnywhere;
using state::kFactors;
using state::kLoose;

namespace {

// By how much a parameter grows with each step that a cell takes at first.
int64_t TileOf(Symbol s, const ir::Param& p, const Tiles& tiles) {
  auto tile = tiles.find(s);
  return tile != tiles.end() ? tile->second * p.step : p.step;
}

Family FamilyOf(const SizeCell& cell, const machine::Code& code,
                const Varied& params, const Factors& factors,
                const Tiles& tiles) {
  Family family;
  family.facts = cell.facts;
  for (size_t i = 0; i < params.size(); ++i)
    family.params[params[i]->slot] = cell.params[i];
  for (size_t i : cell.loose)
    family.params[params[i]->slot] +=
        Polynomial::Of(kLoose + static_cast<Symbol>(i), params[i]->step);
  family.handed_out = cell.handed_out;
  if (factors) {
    auto [a, b] = *factors;
    Polynomial x = Polynomial::Of(kFactors), y = Polynomial::Of(kFactors + 1);
    const int64_t tile = TileOf(a, *params[a], tiles);
    const Polynomial whole = cell.params[a] + cell.lacking[a];
    family.known.push_back({x * y, *whole.DividedBy(tile)});
    family.params[params[a]->slot] = Polynomial(tile) * x - cell.lacking[a];
    family.params[params[b]->slot] =
        Polynomial(TileOf(b, *params[b], tiles)) * y - cell.lacking[b];
  }
  family.grid = GridOf(code, family);
  for (int d = 0; d < 3; ++d) {
    if (!cell.positions[d]) continue;
    Polynomial of(code.bound.cluster[d]);
    family.grid[d] = Symbolic::Number(cell.positions[d]->clusters * of);
    family.cta[d] = cell.positions[d]->at.Varying() * of;
  }
  return family;
}

// Clusters in each dimension of the grid.
std::array<int64_t, 3> GridOf(const ir::BoundKernel& bound) {
  std::array<int64_t, 3> out{};
  for (int d = 0; d < 3; ++d) out[d] = bound.grid[d] / bound.cluster[d];
  return out;
}

bool InGrid(const SizeCell& cell, const std::array<int64_t, 3>& grid) {
  for (int d = 0; d < 3; ++d) {
    const auto& p = cell.positions[d];
    if (p && (p->clusters.base() != grid[d] || p->at.base() < 0 ||
              p->at.base() >= grid[d]))
      return false;
  }
  return true;
}

// In dimensions that are larger in larger sizes, and in all where there are too
// many, or where a fixed grid hands any of them out, any other cluster must do
// as the first.
std::set<int64_t> ClustersOf(const SizeCell& cell, const machine::Code& code,
                             Family& family) {
  const std::array<int64_t, 3> grid = GridOf(code.bound);
  std::array<int64_t, 3> first{}, count{1, 1, 1};
  auto anywhere = [&](int d) {
    const int64_t ctas = code.bound.cluster[d];
    family.cta[d] = Polynomial::Of(kAnywhere + d, ctas);
    if (auto extent = NumberOf(family.grid[d]))
      family.facts.Add(*extent - Polynomial(ctas) - family.cta[d]);
    count[d] = 1;
  };
  for (int d = 0; d < 3; ++d) {
    if (cell.positions[d]) {
      first[d] = cell.positions[d]->at.base();
    } else if (family.grid[d].known()) {
      count[d] = grid[d];
    } else {
      anywhere(d);
    }
  }
  bool many = count[0] * count[1] * count[2] > kMaxClusters ||
              (cell.handed_out && cell.loose.empty());
  for (int d = 0; d < 3; ++d) {
    if (many && count[d] > 1) anywhere(d);
  }
  std::set<int64_t> out;
  for (int64_t z = first[2]; z < first[2] + count[2]; ++z) {
    for (int64_t y = first[1]; y < first[1] + count[1]; ++y) {
      for (int64_t x = first[0]; x < first[0] + count[0]; ++x)
        out.insert(x + grid[0] * (y + grid[1] * z));
    }
  }
  return out;
}

}  // namespace

std::optional<Representative> RepresentativeOf(const SizeCell& cell,
                                               const machine::Code& code,
                                               const Varied& params,
                                               const Factors& factors,
                                               const Tiles& tiles) {
  if (!InGrid(cell, GridOf(code.bound))) return std::nullopt;
  Representative out;
  out.family = FamilyOf(cell, code, params, factors, tiles);
  out.clusters = ClustersOf(cell, code, out.family);
  const auto& cta = out.family.cta;
  out.alone = !cell.open() && !factors &&
              std::all_of(cta.begin(), cta.end(),
                          [](const Polynomial& p) { return p.constant(); });
  return out;
}

}  // namespace tilesim::checkers::sizes::partition
