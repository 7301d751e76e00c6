#include "checkers/sizes/facts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilesim::checkers {
namespace {

// Of which a conclusion is the sum.
constexpr int kMaxFacts = 3;

}  // namespace

void Facts::Add(Polynomial at_least_0) {
  if (!at_least_0.Grows()) all_.push_back(std::move(at_least_0));
}

void Facts::Replace(Symbol symbol, const Polynomial& value) {
  std::vector<Polynomial> before = std::exchange(all_, {});
  for (const Polynomial& p : before) Add(p.Replace(symbol, value));
}

// Whether p is at least 0: where a term makes it smaller, a fact with such a
// term, so many times that it is gone, leaves a number that is.
bool Facts::Follows(const Polynomial& p, int steps) const {
  if (p.Grows()) return true;
  for (size_t i = 0; i < all_.size() && steps > 0; ++i) {
    for (const auto& [monomial, c] : p.terms()) {
      int64_t of_fact = all_[i].Coefficient(monomial);
      if (c >= 0 || of_fact >= 0) continue;
      int64_t common = std::gcd(c, of_fact);
      Polynomial rest =
          Polynomial(-of_fact / common) * p - Polynomial(-c / common) * all_[i];
      if (Follows(rest, steps - 1)) return true;
    }
  }
  return false;
}

bool Facts::contradictory() const {
  return std::any_of(all_.begin(), all_.end(), [this](const Polynomial& f) {
    return Follows(Polynomial(-1) - f, kMaxFacts);
  });
}

std::optional<bool> Facts::AtLeast0(const Polynomial& p) const {
  std::optional<bool> alone = p.AtLeast(0);
  if (alone) return alone;
  if (Follows(p, kMaxFacts)) return true;
  if (Follows(Polynomial(-1) - p, kMaxFacts)) return false;
  return std::nullopt;
}

std::optional<bool> Facts::IsZero(const Polynomial& p) const {
  if (p.constant()) return p.base() == 0;
  bool above = Follows(p - Polynomial(1), kMaxFacts);
  bool below = Follows(Polynomial(-1) - p, kMaxFacts);
  if (above || below) return false;
  return std::nullopt;
}

}  // namespace tilesim::checkers
