// Whether integers satisfy a formula of linear comparisons and products: the
// language of index arithmetic, once `/` and `%` are written as products (a =
// q * b + r). Linear integer arithmetic is decided exactly; of a product v = a
// * b the solver knows that it grows with its factors, which is
//
//   b >= 1, a < c  =>  a * b + b <= c * b
//
// and its value for each value of a factor. From that alone follow the facts
// about quotients that index arithmetic rests on (README.md): t and t' differ
// exactly if t / n differs or t % n does; t <= t' has t / n <= t' / n; rows
// h * S + r with r + length <= S of different h do not meet.
//
// Found points satisfy the products too, so an answer of kSome is a true
// counterexample. The method is the usual one: a point of the linear part is
// sampled, and where it violates a disjunction or a product the search divides
// there.
#ifndef TILESIM_CHECKERS_SOLVER_SOLVER_H_
#define TILESIM_CHECKERS_SOLVER_SOLVER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checkers/solver/integer_points.h"
#include "checkers/solver/linear.h"

namespace tilesim::checkers::solver {

// value = a * b. Products that mean the same for two parties are of one family:
// what is known of factors that are the same expression is known of theirs as
// well, where they are equal.
struct Product {
  Linear value, a, b;
  int32_t family = -1;
};

// value = of / by, of natural numbers: it grows with `of`. That is only said to
// be so besides; value * by is a product.
struct Quotient {
  Linear value, of, by;
};

// Where all of `zero` are 0, so is `difference`: two values of one function.
struct Congruence {
  std::vector<Linear> zero;
  Linear difference;
};

struct Problem {
  int variables = 0;
  std::vector<Formula> formulas;  // all hold
  std::vector<Product> products;
  std::vector<Quotient> quotients;
  std::vector<Congruence> congruences;

  Var New() { return variables++; }
};

// What a question may cost, in work, not in time; half of it again for a point
// where nothing was proved.
struct Effort {
  int points = 200;                // samples of a linear part
  int64_t operations = 200000000;  // of isl
  bool refute_only = false;        // kSome is not wanted
};

// kUnknown: the effort was not enough.
Point Solve(const Problem& problem, const Effort& effort = {});

// While it lives, hears what Solve is asked by this thread, and what it says:
// so tests can put the same questions to another solver.
class Observer {
 public:
  using Hear = std::function<void(const Problem&, const Point&)>;

  explicit Observer(Hear hear);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

 private:
  friend Point Solve(const Problem& problem, const Effort& effort);

  Hear hear_;
  Observer* outer_;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_SOLVER_H_
