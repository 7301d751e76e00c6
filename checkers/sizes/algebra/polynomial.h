// Numbers that stand for a family: polynomials over symbols that may be any
// natural number, with integer coefficients.
//
//   Polynomial tiles = Polynomial(4) + Polynomial::Symbol(n);   // 4, 5, 6 ...
//   tiles.AtLeast(1)                    // true, whatever n is
//   (tiles - Polynomial(6)).AtLeast(0)  // none: depends on n
//
// Overflow makes a polynomial `bad`, and everything made from it.
#ifndef TILESIM_CHECKERS_SIZES_ALGEBRA_POLYNOMIAL_H_
#define TILESIM_CHECKERS_SIZES_ALGEBRA_POLYNOMIAL_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace tilesim::checkers::sizes::algebra {

using Symbol = int32_t;

class Polynomial {
 public:
  // A product of symbols, sorted; not empty.
  using Monomial = absl::InlinedVector<Symbol, 2>;
  // Sorted by their monomials; coefficients are not 0.
  using Terms = absl::InlinedVector<std::pair<Monomial, int64_t>, 1>;

  Polynomial() = default;
  explicit Polynomial(int64_t base) : base_(base) {}
  static Polynomial Of(Symbol symbol, int64_t coefficient = 1) {
    return Of(Monomial{symbol}, coefficient);
  }
  static Polynomial Of(const Monomial& monomial, int64_t coefficient);
  static Polynomial Bad();

  bool bad() const { return bad_; }
  bool constant() const { return !bad_ && terms_.empty(); }
  int64_t base() const { return base_; }
  const Terms& terms() const { return terms_; }
  // Without the base.
  Polynomial Varying() const;
  bool Has(Symbol symbol) const;
  int64_t Coefficient(const Monomial& monomial) const;
  // Of the symbol by itself.
  int64_t Coefficient(Symbol symbol) const {
    return Coefficient(Monomial{symbol});
  }

  Polynomial& operator+=(const Polynomial& o);
  Polynomial& operator-=(const Polynomial& o);
  friend Polynomial operator+(Polynomial a, const Polynomial& b) {
    return a += b;
  }
  friend Polynomial operator-(Polynomial a, const Polynomial& b) {
    return a -= b;
  }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial&, const Polynomial&) = default;

  // Every coefficient and the base divided by `d`; nullopt: not all are
  // multiples. The base may be left out.
  std::optional<Polynomial> DividedBy(int64_t d) const;
  // The polynomial q with q * by = this; nullopt: none was found.
  std::optional<Polynomial> DividedBy(const Polynomial& by) const;
  // Whether every coefficient, not the base, is a multiple of `m`.
  bool VariesByMultiplesOf(int64_t m) const;
  // Whether it is at least `bound` for all values of the symbols, less than it
  // for all, or neither is certain.
  std::optional<bool> AtLeast(int64_t bound) const;
  // Whether it is 0 for all, for none, or neither is certain.
  std::optional<bool> IsZero() const;
  // Never negative, and no symbol makes it smaller.
  bool Grows() const;
  // `value` in place of a symbol.
  Polynomial Replace(Symbol symbol, const Polynomial& value) const;

 private:
  void AddTerm(const Monomial& m, int64_t coefficient);
  // The term of the highest degree, of several the last; of none, the base.
  std::pair<Monomial, int64_t> Leading() const;

  int64_t base_ = 0;
  Terms terms_;
  bool bad_ = false;
};

}  // namespace tilesim::checkers::sizes::algebra

#endif  // TILESIM_CHECKERS_SIZES_ALGEBRA_POLYNOMIAL_H_
