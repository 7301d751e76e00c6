// What follows from a fact at once, without a division: its products with
// positive factors, and which of two quotients is the larger.
//
//   x' >= x + 1, T >= 1                  =>  x' * T >= x * T + T
//   x = 3                                =>  x * T = 3 * T
//   t' >= t, q = t / n, q' = t' / n      =>  q' >= q
#ifndef TILESIM_CHECKERS_SOLVER_CONSEQUENCES_H_
#define TILESIM_CHECKERS_SOLVER_CONSEQUENCES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/solver/bounds.h"
#include "checkers/solver/node.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::solver {

// A product of a factor: value = of * factor.
struct Share {
  Linear value, of;
};

// Products of one factor by which expressions can be multiplied.
class Multiples {
 public:
  Multiples(Linear factor, const std::vector<Share>& shares);

  // l times the factor, written in one or two ways; none: a part of it is no
  // product of it.
  std::vector<Linear> Of(const Linear& l) const;

 private:
  std::optional<Linear> WithASum(const Linear& l) const;
  std::optional<Linear> Of(const Linear& l, int sums) const;

  Linear factor_;
  std::map<Var, Linear> ones_;  // of variables
  std::vector<Share> sums_;     // of other expressions
};

// Quotients of one divisor grow with what is divided.
class Floors {
 public:
  explicit Floors(const std::vector<Quotient>& all);

  // What is natural where `natural` is.
  std::vector<Linear> From(const Linear& natural) const;

 private:
  void Add(const Linear& difference, const Linear& value);

  // A difference of dividends is `times` what it is filed under, plus
  // `constant`: where that is natural, so is the difference of the quotients.
  struct Larger {
    int64_t times, constant;
    Linear quotients;
  };
  std::map<Linear, std::vector<Larger>> larger_;
};

class Consequences {
 public:
  // `root`: bounds of the facts that hold in all nodes.
  Consequences(const Problem& problem, const Bounds& root);

  // Adds what follows from the node's facts from `from` on.
  void AddTo(Node& node, size_t from) const;
  // A fact that the node has not.
  static void AddNew(Node& node, Fact fact);

 private:
  std::vector<Multiples> natural_;
  std::vector<Multiples> others_;  // of equations alone
  Floors floors_;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_CONSEQUENCES_H_
