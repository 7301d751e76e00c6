// Gives numbers that no polynomial says symbols of their own, with what is
// known of them. The same operator on the same numbers gives the same one.
//
//   OpaqueNumbers numbers(facts);              // of a and b
//   numbers.Unsaid(ExprOp::kRem, -1, a, b)     // q, of which 0 <= q <= b - 1
//
// A symbol may be any natural number for which the facts hold; the number that
// it stands for is one of those, as every fact is one of its operator.
#ifndef TILESIM_CHECKERS_SIZES_OPAQUE_NUMBERS_H_
#define TILESIM_CHECKERS_SIZES_OPAQUE_NUMBERS_H_

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "checkers/sizes/facts.h"
#include "checkers/sizes/symbolic.h"
#include "checkers/sizes/symbols.h"

namespace tilesim::checkers::sizes {

class OpaqueNumbers {
 public:
  explicit OpaqueNumbers(Facts facts) : facts_(std::move(facts)) {}

  const Facts& facts() const { return facts_; }
  bool AtLeast(const Polynomial& p, int64_t bound) const {
    return facts_.AtLeast0(p - Polynomial(bound)).value_or(false);
  }
  void Know(const Polynomial& at_least_0) { facts_.Add(at_least_0); }
  Symbol Fresh() { return next_++; }

  // A number of any kind as one; nullopt: it is not known.
  std::optional<Polynomial> AsNumber(const Symbolic& s);
  // Of an operator, or a function (else -1); unknown if it may be negative.
  Symbolic Unsaid(ir::ExprOp op, int32_t function, const Symbolic& a,
                  const Symbolic& b);

 private:
  using Terms = std::vector<std::pair<std::vector<Symbol>, int64_t>>;
  // Which operator, of what.
  using Key = std::tuple<int, int, Terms, Terms>;
  using Say = absl::FunctionRef<void(const Polynomial& number)>;
  struct Quotient {
    Polynomial of, by, is;
  };

  static Terms TermsOf(const Polynomial& p);
  // The symbol for that, at least `low`; of a new one something is said.
  Polynomial Made(const Key& key, Say say, int64_t low = 0);
  std::optional<Polynomial> Operated(ir::ExprOp op, const Polynomial& a,
                                     const Polynomial& b);
  std::optional<Polynomial> Called(std::string_view name, const Polynomial& a,
                                   const Polynomial& b);
  void Order(const Quotient& q);

  Facts facts_;
  std::vector<Quotient> quotients_;
  std::map<Key, Polynomial> made_;
  Symbol next_ = kOpaque;
};

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_OPAQUE_NUMBERS_H_
