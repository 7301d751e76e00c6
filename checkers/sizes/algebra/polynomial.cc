#include "checkers/sizes/algebra/polynomial.h"

#include <algorithm>
#include <iterator>

namespace tilesim::checkers::sizes::algebra {

Polynomial Polynomial::Of(const Monomial& monomial, int64_t coefficient) {
  Polynomial out;
  out.AddTerm(monomial, coefficient);
  return out;
}

Polynomial Polynomial::Bad() {
  Polynomial out;
  out.bad_ = true;
  return out;
}

Polynomial Polynomial::Varying() const {
  Polynomial out = *this;
  out.base_ = 0;
  return out;
}

bool Polynomial::Has(Symbol symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto& t) {
    return std::find(t.first.begin(), t.first.end(), symbol) != t.first.end();
  });
}

int64_t Polynomial::Coefficient(const Monomial& monomial) const {
  for (const auto& [m, c] : terms_) {
    if (m == monomial) return c;
  }
  return 0;
}

void Polynomial::AddTerm(const Monomial& m, int64_t coefficient) {
  if (coefficient == 0) return;
  auto at = std::lower_bound(terms_.begin(), terms_.end(), m,
                             [](const auto& term, const Monomial& wanted) {
                               return term.first < wanted;
                             });
  if (at == terms_.end() || at->first != m) at = terms_.emplace(at, m, 0);
  bad_ |= __builtin_add_overflow(at->second, coefficient, &at->second);
  if (at->second == 0) terms_.erase(at);
}

Polynomial& Polynomial::operator+=(const Polynomial& o) {
  bad_ |= o.bad_ || __builtin_add_overflow(base_, o.base_, &base_);
  for (const auto& [m, c] : o.terms_) AddTerm(m, c);
  return *this;
}

Polynomial& Polynomial::operator-=(const Polynomial& o) {
  return *this += Polynomial(-1) * o;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  out.bad_ =
      a.bad_ || b.bad_ || __builtin_mul_overflow(a.base_, b.base_, &out.base_);
  auto add = [&](const Polynomial::Monomial& m, int64_t x, int64_t y) {
    int64_t product = 0;
    out.bad_ |= __builtin_mul_overflow(x, y, &product);
    out.AddTerm(m, product);
  };
  for (const auto& [m, c] : a.terms_) add(m, c, b.base_);
  for (const auto& [m, c] : b.terms_) add(m, c, a.base_);
  for (const auto& [m, c] : a.terms_) {
    for (const auto& [n, d] : b.terms_) {
      Polynomial::Monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::sort(both.begin(), both.end());
      add(both, c, d);
    }
  }
  return out;
}

std::optional<Polynomial> Polynomial::DividedBy(int64_t d) const {
  if (bad_ || d == 0 || base_ % d != 0 || !VariesByMultiplesOf(d))
    return std::nullopt;
  Polynomial out(base_ / d);
  for (const auto& [m, c] : terms_) out.AddTerm(m, c / d);
  return out;
}

std::pair<Polynomial::Monomial, int64_t> Polynomial::Leading() const {
  std::pair<Monomial, int64_t> out{{}, base_};
  for (const auto& term : terms_) {
    if (term.first.size() >= out.first.size()) out = term;
  }
  return out;
}

// Of products of two terms the leading one is that of the leading terms:
// degrees are added, and of one degree the order of sorted monomials is kept
// when both are multiplied. So the rest gets smaller in each step.
std::optional<Polynomial> Polynomial::DividedBy(const Polynomial& by) const {
  const auto [of_by, times] = by.Leading();
  if (bad_ || by.bad_ || times == 0) return std::nullopt;
  Polynomial out, rest = *this;
  while (rest != Polynomial()) {
    const auto [of_rest, c] = rest.Leading();
    const bool has = std::includes(of_rest.begin(), of_rest.end(),
                                   of_by.begin(), of_by.end());
    if (rest.bad_ || !has || c % times != 0) return std::nullopt;
    Monomial m;
    std::set_difference(of_rest.begin(), of_rest.end(), of_by.begin(),
                        of_by.end(), std::back_inserter(m));
    const Polynomial part =
        m.empty() ? Polynomial(c / times) : Of(m, c / times);
    out += part;
    rest -= part * by;
  }
  return out;
}

bool Polynomial::VariesByMultiplesOf(int64_t m) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const auto& t) { return t.second % m == 0; });
}

std::optional<bool> Polynomial::AtLeast(int64_t bound) const {
  if (bad_) return std::nullopt;
  auto all = [&](auto holds) {
    return std::all_of(terms_.begin(), terms_.end(),
                       [&](const auto& t) { return holds(t.second); });
  };
  if (base_ >= bound && all([](int64_t c) { return c > 0; })) return true;
  if (base_ < bound && all([](int64_t c) { return c < 0; })) return false;
  return std::nullopt;
}

std::optional<bool> Polynomial::IsZero() const {
  if (bad_) return std::nullopt;
  if (terms_.empty()) return base_ == 0;
  bool away = AtLeast(1).value_or(false) || !AtLeast(0).value_or(true);
  if (away) return false;
  return std::nullopt;
}

bool Polynomial::Grows() const { return AtLeast(0).value_or(false); }

Polynomial Polynomial::Replace(Symbol symbol, const Polynomial& value) const {
  Polynomial out(base_);
  out.bad_ = bad_;
  for (const auto& [m, c] : terms_) {
    Polynomial product(c);
    for (Symbol s : m) product = product * (s == symbol ? value : Of(s));
    out += product;
  }
  return out;
}

}  // namespace tilesim::checkers::sizes::algebra
