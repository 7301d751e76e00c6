// Index arithmetic as linear expressions over integers. What is not linear, a
// product, a quotient, a minimum, is an integer of its own, with a definition.
#ifndef TILESIM_CHECKERS_GRID_TERMS_H_
#define TILESIM_CHECKERS_GRID_TERMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checkers/solver/linear.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

using solver::Formula;
using solver::Linear;
using solver::Var;

// One integer.
struct Term {
  std::string name;                  // "" of what the program does not name
  bool of_launch = false;            // the same in all CTAs
  std::optional<int64_t> low, high;  // inclusive
  Formula definition;
  // Of a loop counter: there is an iteration. Where there is none, no number is
  // as the definition says.
  Formula entered;
  std::optional<Var> with;        // whose definition is this one's as well
  std::vector<Linear> arguments;  // of which it is a function
  // It is a quotient of natural numbers: `of` = this * by + remainder.
  struct Quotient {
    Linear of, by, remainder;
  };
  std::optional<Quotient> quotient;
  // It is a product, or a multiple of it is.
  std::vector<solver::Product> products;
};

class Terms {
 public:
  // An integer of which no more is said than its bounds.
  Linear New(std::string name, bool of_launch, std::optional<int64_t> low = {},
             std::optional<int64_t> high = {});
  // One that is a function of the arguments.
  Linear NewOf(std::vector<Linear> arguments, std::optional<int64_t> low,
               std::optional<int64_t> high);
  // More that is known of `v`, a variable.
  void Define(const Linear& v, Formula definition);
  void SetEntered(const Linear& v, Formula entered);

  Linear Multiply(const Linear& a, const Linear& b);
  // As C divides, by what is not 0.
  Linear Divide(const Linear& a, const Linear& b);
  Linear Remainder(const Linear& a, const Linear& b);
  // a = quotient * b + remainder, as far as terms of `a` are products of b or,
  // with `divided`, have been divided by it; the remainder is any number.
  struct Division {
    Linear quotient, remainder;
  };
  Division PartsOf(const Linear& a, const Linear& b, bool divided);
  // Whether `a` has been divided by `b` before.
  bool IsDivided(const Linear& a, const Linear& b) const {
    return divisions_.count({a, b}) != 0;
  }
  Linear Min(const Linear& a, const Linear& b);
  Linear Max(const Linear& a, const Linear& b);
  // `a` where the condition holds, else `b`.
  Linear Select(const Formula& condition, const Linear& a, const Linear& b);
  // `a`, or an integer of which nothing is known in place of an expression with
  // coefficients beyond 64 bits.
  Linear Usable(Linear a);

  // It is at least `low`, as somebody has shown.
  void SetLow(const Linear& a, int64_t low) { lows_[a] = low; }
  std::optional<int64_t> Low(const Linear& a) const;
  std::optional<int64_t> High(const Linear& a) const;
  bool OfLaunch(const Linear& a) const;
  bool OfLaunch(const Formula& f) const;

  const Term& operator[](Var v) const { return all_[v]; }
  // What `v` is made of, for one that is new; its name and bounds stay.
  void Complete(Var v, Term parts);
  int size() const { return static_cast<int>(all_.size()); }

 private:
  enum class Function : uint8_t { kMultiply, kMin, kMax };
  using Call = std::tuple<Function, Linear, Linear>;

  const Division& DivisionOf(const Linear& a, const Linear& b);
  std::optional<Linear> OtherFactor(const Linear& product,
                                    const Linear& factor) const;
  std::optional<Division> DividedTwice(const Linear& a, const Linear& b);
  void LinkToProducts(const Linear& a, const Linear& b);
  int64_t SignedContent(const Linear& a) const;
  Linear ProductOf(const Linear& x, const Linear& y, int64_t scale);
  std::optional<Division> WholeQuotient(const Linear& a, const Linear& b) const;
  std::optional<Division> QuotientToOne(const Linear& a, const Linear& b);
  Division Divided(const Linear& a, const Linear& b);
  Linear Extreme(Function f, const Linear& a, const Linear& b);

  void SetArguments(const Linear& v, std::vector<Linear> arguments);

  std::vector<Term> all_;
  std::map<Linear, int64_t> lows_;
  std::map<Call, Linear> calls_;
  std::map<std::pair<Linear, Linear>, Division> divisions_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_TERMS_H_
