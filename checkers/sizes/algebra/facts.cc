#include "checkers/sizes/algebra/facts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilesim::checkers::sizes::algebra {
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
// term, so many times that it is gone, leaves a number that is. Of a product of
// two symbols also a fact about one of them, times the other.
bool Facts::Follows(const Polynomial& p, int steps) const {
  if (p.Grows()) return true;
  if (steps == 0) return false;
  for (const Polynomial& fact : all_) {
    for (const auto& [monomial, c] : p.terms()) {
      if (c >= 0) continue;
      if (FollowsWithout(monomial, p, fact, steps)) return true;
      if (monomial.size() != 2) continue;
      for (int i = 0; i < 2; ++i) {
        bool less = fact.Coefficient(monomial[i]) < 0;
        if (less &&
            FollowsWithout(monomial, p, fact * Polynomial::Of(monomial[1 - i]),
                           steps))
          return true;
      }
    }
  }
  return false;
}

bool Facts::FollowsWithout(const Polynomial::Monomial& monomial,
                           const Polynomial& p, const Polynomial& fact,
                           int steps) const {
  int64_t c = p.Coefficient(monomial), of_fact = fact.Coefficient(monomial);
  if (of_fact >= 0) return false;
  int64_t common = std::gcd(c, of_fact);
  return Follows(
      Polynomial(-of_fact / common) * p - Polynomial(-c / common) * fact,
      steps - 1);
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

}  // namespace tilesim::checkers::sizes::algebra
