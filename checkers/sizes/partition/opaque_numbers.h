// Gives numbers that no polynomial says symbols of their own, with what is
// known of them. The same operator on the same numbers gives the same one.
//
//   OpaqueNumbers numbers(facts);              // of a and b
//   numbers.Unsaid(ExprOp::kRem, -1, a, b)     // q, of which 0 <= q <= b - 1
//
// A symbol may be any natural number for which the facts hold; the number that
// it stands for is one of those, as every fact is one of its operator.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_NUMBERS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_NUMBERS_H_

#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "checkers/sizes/algebra/facts.h"
#include "checkers/sizes/algebra/symbolic.h"
#include "checkers/sizes/state/symbols.h"

namespace tilesim::checkers::sizes::partition {

class OpaqueNumbers {
 public:
  explicit OpaqueNumbers(algebra::Facts facts) : facts_(std::move(facts)) {}

  const algebra::Facts& facts() const { return facts_; }
  bool AtLeast(const algebra::Polynomial& p, int64_t bound) const {
    return facts_.AtLeast0(p - algebra::Polynomial(bound)).value_or(false);
  }
  void Know(const algebra::Polynomial& at_least_0) { facts_.Add(at_least_0); }
  algebra::Symbol Fresh() { return next_++; }

  // A number of any kind as one; nullopt: it is not known.
  std::optional<algebra::Polynomial> AsNumber(const algebra::Symbolic& s);
  // Of an operator, or a function (else -1); unknown if it may be negative.
  algebra::Symbolic Unsaid(ir::ExprOp op, int32_t function,
                           const algebra::Symbolic& a,
                           const algebra::Symbolic& b);

 private:
  using Terms = std::vector<std::pair<std::vector<algebra::Symbol>, int64_t>>;
  // Which operator, of what.
  using Key = std::tuple<int, int, Terms, Terms>;
  using Say = absl::FunctionRef<void(const algebra::Polynomial& number)>;
  struct Quotient {
    algebra::Polynomial of, by, is;
  };

  static Terms TermsOf(const algebra::Polynomial& p);
  // The symbol for that, at least `low`; of a new one something is said.
  algebra::Polynomial Made(const Key& key, Say say, int64_t low = 0);
  std::optional<algebra::Polynomial> Operated(ir::ExprOp op,
                                              const algebra::Polynomial& a,
                                              const algebra::Polynomial& b);
  std::optional<algebra::Polynomial> Called(std::string_view name,
                                            const algebra::Polynomial& a,
                                            const algebra::Polynomial& b);
  void KnowWithin(bool least, const algebra::Polynomial& a,
                  const algebra::Polynomial& b, const algebra::Polynomial& v);
  void Order(const Quotient& q);

  algebra::Facts facts_;
  std::vector<Quotient> quotients_;
  std::map<Key, algebra::Polynomial> made_;
  algebra::Symbol next_ = state::kOpaque;
};

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_NUMBERS_H_
