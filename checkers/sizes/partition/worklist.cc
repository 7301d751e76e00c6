#include "checkers/sizes/partition/worklist.h"

#include <algorithm>
#include <iterator>

#include "checkers/run/environment.h"
#include "checkers/sizes/state/launch_shape.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using algebra::Symbolic;
using run::Requests;
using state::Family;
using state::GridOf;
using state::kHandedOut;
using state::kRests;
using state::kSteps;

void Worklist::BeginAnew() {
  todo_.clear();
  todo_.push_back(AllSizes());
}

SizeCell Worklist::AllSizes() const {
  SizeCell all;
  all.loose = loose_;
  if (!loose_.empty() || fixed_grid_) {
    all.handed_out = Polynomial::Of(kHandedOut);
    all.axes[kHandedOut] = {"clusters that are handed out"};
  }
  if (fixed_grid_)
    all.facts.Add(Polynomial(*fixed_grid_ - 1) - Polynomial::Of(kHandedOut));
  for (size_t i = 0; i < varied_.size(); ++i) AddParam(all, i);
  for (const Polynomial& fact : known_) {
    Polynomial of_cell = OfCell(fact);
    bool loose = std::any_of(loose_.begin(), loose_.end(), [&](size_t i) {
      return of_cell.Has(static_cast<Symbol>(i));
    });
    if (!loose) all.facts.Add(std::move(of_cell));
  }
  AddRequired(all);
  return all;
}

// Sizes that are not permitted need not be covered. Of a product that stands
// for two parameters nothing is said.
void Worklist::AddRequired(SizeCell& cell) const {
  if (merged_) return;
  for (Polynomial fact : required_) {
    const bool loose = std::any_of(loose_.begin(), loose_.end(), [&](size_t i) {
      return fact.Has(static_cast<Symbol>(i));
    });
    if (loose) continue;
    // A value has no symbols but its own.
    for (size_t i = 0; i < varied_.size(); ++i)
      fact = fact.Replace(static_cast<Symbol>(i), cell.params[i]);
    cell.facts.Add(std::move(fact));
  }
}

void Worklist::AddParam(SizeCell& cell, size_t i) const {
  const ir::Param& p = *varied_[i];
  auto symbol = static_cast<Symbol>(i);
  bool fixed = merged_ && symbol == merged_->second;
  Polynomial& value = cell.params.emplace_back(p.low);
  cell.lacking.emplace_back();
  if (loose_.count(i) != 0) return;
  auto tile = tiles_.find(symbol);
  if (tile != tiles_.end()) AddRest(cell, i, tile->second);
  if (fixed) return;
  cell.axes[symbol] = {p.name};
  value += Polynomial::Of(
      symbol, tile != tiles_.end() ? tile->second * p.step : p.step);
  if (p.high) cell.facts.Add(Polynomial(*p.high) - value);
}

// At least one tile, less what the last one lacks of its steps.
void Worklist::AddRest(SizeCell& cell, size_t i, int64_t steps) const {
  const ir::Param& p = *varied_[i];
  const Symbol rest = kRests + static_cast<Symbol>(i);
  cell.axes[rest] = {p.name};
  cell.lacking[i] = Polynomial::Of(rest, p.step);
  cell.params[i] = Polynomial(steps * p.step) - cell.lacking[i];
  cell.facts.Add(Polynomial(steps - 1) - Polynomial::Of(rest));
}

// Of parameters by the steps that they are above their lowest values.
Polynomial Worklist::OfCell(Polynomial fact) const {
  for (size_t i = 0; i < varied_.size(); ++i) {
    Symbol steps =
        kSteps + static_cast<Symbol>(varied_[i] - &kernel_.params[0]);
    fact = fact.Replace(steps, Polynomial::Of(static_cast<Symbol>(i)));
  }
  return fact;
}

void Worklist::Add(SizeCells cells) {
  std::move(cells.rbegin(), cells.rend(), std::back_inserter(todo_));
}

SizeCell Worklist::Next() {
  SizeCell cell = std::move(todo_.back());
  todo_.pop_back();
  return cell;
}

bool Worklist::Merge(const std::pair<Symbol, Symbol>& product) {
  auto from_one = [&](Symbol s) {
    return static_cast<size_t>(s) < varied_.size() &&
           varied_[s]->low == varied_[s]->step && !varied_[s]->high;
  };
  if (merged_ || never_merge_ || !from_one(product.first) ||
      !from_one(product.second))
    return false;
  merged_ = product;
  return true;
}

void Worklist::Unmerge() {
  merged_.reset();
  never_merge_ = true;
}

bool Worklist::CountInTiles(const induction::Stride& tile) {
  auto [param, steps] = tile;
  bool factor =
      merged_ && (param == merged_->first || param == merged_->second);
  if (never_in_tiles_ || factor || !known_.empty() || steps < kLongStride ||
      param < 0 || static_cast<size_t>(param) >= varied_.size())
    return false;
  const ir::Param& p = *varied_[param];
  return loose_.count(param) == 0 && p.low == p.step &&
         tiles_.try_emplace(param, steps).second;
}

bool Worklist::CountInSteps() {
  never_in_tiles_ = true;
  bool in_tiles = !tiles_.empty();
  tiles_.clear();
  merged_.reset();
  return in_tiles;
}

bool Worklist::Loosen(const SizeCell& cell, const machine::Code& kept) {
  if (cell.handed_out || merged_ || !Requests(kept)) return false;
  const std::vector<Polynomial> numbers = GridNumbers(cell, kept);
  for (const Polynomial& number : numbers) {
    for (const auto& [monomial, c] : number.terms())
      loose_.insert(monomial.begin(), monomial.end());
  }
  // Few clusters are handed out one set after another.
  const int64_t clusters = kept.bound.ctas() / kept.bound.cluster_size();
  if (!each_by_itself_ && !numbers.empty() && loose_.empty() &&
      clusters > run::kMaxLaterClusters + 1)
    fixed_grid_ = clusters;
  return !loose_.empty() || fixed_grid_;
}

bool Worklist::EachByItself() {
  if (!fixed_grid_) return false;
  fixed_grid_.reset();
  return each_by_itself_ = true;
}

// The extents of the grid; none if one cannot be said.
std::vector<Polynomial> Worklist::GridNumbers(const SizeCell& cell,
                                              const machine::Code& kept) const {
  Family family;
  for (size_t i = 0; i < varied_.size(); ++i)
    family.params[varied_[i]->slot] = cell.params[i];
  std::vector<Polynomial> out;
  for (const Symbolic& extent : GridOf(kept, family)) {
    if (extent.unknown()) return {};
    out.push_back(extent.of);
  }
  return out;
}

}  // namespace tilesim::checkers::sizes::partition
