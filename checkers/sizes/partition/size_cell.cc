#include "checkers/sizes/partition/size_cell.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers::sizes::partition {
using algebra::Polynomial;
using algebra::Symbol;
using state::kTicketDim;

namespace {

// Facts may raise symbols in turn, for ever.
constexpr int kMaxRounds = 100;

}  // namespace

void SizeCell::Replace(Symbol symbol, const Polynomial& value) {
  for (Polynomial& p : params) p = p.Replace(symbol, value);
  for (Polynomial& p : lacking) p = p.Replace(symbol, value);
  if (handed_out) handed_out = handed_out->Replace(symbol, value);
  for (auto& position : positions) {
    if (!position) continue;
    position->at = position->at.Replace(symbol, value);
    position->clusters = position->clusters.Replace(symbol, value);
  }
  facts.Replace(symbol, value);
}

bool SizeCell::placed() const {
  return std::any_of(positions.begin(), positions.begin() + kTicketDim,
                     [](const auto& p) { return p.has_value(); });
}

void SizeCell::Close(Symbol symbol) {
  Replace(symbol, Polynomial());
  axes.erase(symbol);
}

void SizeCell::Raise(Symbol symbol, int64_t by) {
  Replace(symbol, Polynomial(by) + Polynomial::Of(symbol));
  Axis& axis = axes.at(symbol);
  axis.steps += by * axis.stride;
}

bool SizeCell::Settle() {
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (facts.contradictory()) return false;
    if (round == kMaxRounds) return true;
    changed = false;
    std::vector<Polynomial> all = facts.all();
    for (const Polynomial& fact : all) {
      if (!Apply(fact, changed)) return false;
      if (changed) break;
    }
  }
  return true;
}

// What a fact says of single symbols: which must be 0, which cannot be.
bool SizeCell::Apply(const Polynomial& fact, bool& changed) {
  const auto& terms = fact.terms();
  auto positive = [](const auto& term) { return term.second > 0; };
  auto up = std::find_if(terms.begin(), terms.end(), positive);
  if (up == terms.end()) {
    if (fact.base() < 0) return false;
    for (const auto& [monomial, c] : terms) {
      if (monomial.size() != 1 || -c <= fact.base()) continue;
      Close(monomial[0]);
      changed = true;
      return true;
    }
    return true;
  }
  bool only = std::count_if(terms.begin(), terms.end(), positive) == 1;
  // Of a symbol without an axis (clusters that are handed out) nothing is left
  // out.
  if (fact.base() < 0 && only && up->first.size() == 1 &&
      axes.count(up->first[0]) != 0) {
    Raise(up->first[0], (up->second - 1 - fact.base()) / up->second);
    changed = true;
  }
  return true;
}

bool SizeCell::HasInstance() const {
  const auto& all = facts.all();
  return std::all_of(all.begin(), all.end(),
                     [](const Polynomial& f) { return f.base() >= 0; });
}

}  // namespace tilesim::checkers::sizes::partition
