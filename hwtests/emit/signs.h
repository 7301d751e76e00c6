// Which scalars are never below 0, as far as the text shows: a variable is not
// if it begins so and everything that it is set to is so while it is, and a
// difference is not where the one side is made of the other:
//
//   x - min(x, y)      u - n % u      (a + 1) * n / p - a * n / p
//   grid.x - 1 - cta.x
#ifndef TILESIM_HWTESTS_EMIT_SIGNS_H_
#define TILESIM_HWTESTS_EMIT_SIGNS_H_

#include <cstdint>
#include <set>

#include "hwtests/emit/ranges.h"
#include "ir/expr.h"

namespace tilesim::hwtests {

class Signs {
 public:
  // `ranges` must outlive it.
  explicit Signs(const Ranges& ranges);

  bool NeverNegative(const ir::Expr& expr) const;
  // What a `let` stands for, where that is the same wherever it is used.
  const ir::Expr& Meant(const ir::Expr& expr) const;

 private:
  bool OfName(const ir::Expr& name) const;
  bool OfBinary(const ir::Expr& expr) const;
  // x - y
  bool OfDifference(const ir::Expr& x, const ir::Expr& y) const;
  bool OfQuotients(const ir::Expr& x, const ir::Expr& y) const;
  // Set once, and so is all that it is made of.
  bool IsSteady(const ir::Expr& expr) const;

  const Ranges& ranges_;
  std::set<int32_t> negative_;  // slots of which it is not shown
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_SIGNS_H_
