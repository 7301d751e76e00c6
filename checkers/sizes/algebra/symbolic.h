// A scalar of the program for a family of sizes at once.
//
//   k        Polynomial                  11 + n
//   k % 4    remainder of k by 4         (11 + n) % 4
//   k / 4    quotient                    (11 + n) / 4
//   k / 4 & 1    its parity, a digit          (11 + n) / 4 % 2
//   k % 12 / 4   digit                   (11 + n) / 4 % 3
//
// Remainders and quotients are kept even where they are known numbers: the
// slot of a ring then still says which turn of the ring it is of.
#ifndef TILESIM_CHECKERS_SIZES_ALGEBRA_SYMBOLIC_H_
#define TILESIM_CHECKERS_SIZES_ALGEBRA_SYMBOLIC_H_

#include <cstdint>
#include <optional>

#include "checkers/sizes/algebra/polynomial.h"
#include "ir/expr.h"

namespace tilesim::checkers::sizes::algebra {

struct Symbolic {
  enum class Kind : uint8_t {
    kNumber,     // of
    kRemainder,  // of % by
    kQuotient,   // of / by, rounded down
    kDigit,      // of / by % values
    kAtLeast0,   // 1 where `of` is, else 0
    kUnknown,    // because of `of`, which decides something, or is no
                 // multiple of `by` as it grows
  };
  Kind kind = Kind::kNumber;
  Polynomial of;  // never negative, except kNumber and kAtLeast0
  int64_t by = 1;
  int64_t values = 0;  // of a kDigit

  static Symbolic Number(Polynomial p) { return {Kind::kNumber, std::move(p)}; }
  static Symbolic Number(int64_t n) { return Number(Polynomial(n)); }
  static Symbolic Digit(Polynomial of, int64_t by, int64_t values) {
    return {Kind::kDigit, std::move(of), by, values};
  }
  static Symbolic Unknown(Polynomial because = Polynomial(), int64_t by = 1) {
    return {Kind::kUnknown, std::move(because), by};
  }

  bool unknown() const { return kind == Kind::kUnknown || of.bad(); }
  static Symbolic AtLeast0(Polynomial p) {
    return {Kind::kAtLeast0, std::move(p)};
  }
  // The value if no symbol has a say in it.
  std::optional<int64_t> known() const {
    if (kind != Kind::kNumber) return KnownOther();
    return of.constant() ? std::optional(of.base()) : std::nullopt;
  }

  friend bool operator==(const Symbolic&, const Symbolic&) = default;

 private:
  std::optional<int64_t> KnownOther() const;  // of no kNumber
};

// Of a remainder or digit, which is one of 0, 1 ... values - 1 and comes again
// as `of` grows by `period`.
struct Residue {
  int64_t values = 0, period = 0;
};
std::optional<Residue> ResidueOf(const Symbolic& s);
// Whether it is a truth value that is not the same for all of a family.
bool IsOpenBit(const Symbolic& s);
// 1 becomes 0, 0 becomes 1.
Symbolic Flipped(const Symbolic& bit);
// The comparison of b and a that says what `op` does of a and b.
ir::ExprOp Mirrored(ir::ExprOp op);

// As a polynomial, if it is one.
std::optional<Polynomial> NumberOf(const Symbolic& s);

// The meaning of operators (ir::Apply) on families. A comparison that is not
// the same for all of a family is unknown, or an open bit. Of a comparison of
// numbers, `compared` gets a number that is at least 0 where it is true (for ==
// and !=: of which it asks whether it is 0).
Symbolic Apply(ir::ExprOp op, const Symbolic& a, const Symbolic& b,
               std::optional<Polynomial>* compared = nullptr);

}  // namespace tilesim::checkers::sizes::algebra

#endif  // TILESIM_CHECKERS_SIZES_ALGEBRA_SYMBOLIC_H_
