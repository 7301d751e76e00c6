// Equations solved for a variable whose coefficient is 1 or -1, and put into
// all else: the integer points of what is left are those of the whole, in fewer
// dimensions.
#ifndef TILESIM_CHECKERS_SOLVER_ELIMINATION_H_
#define TILESIM_CHECKERS_SOLVER_ELIMINATION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "checkers/solver/integer_points.h"
#include "checkers/solver/linear.h"

namespace tilesim::checkers::solver {

class Elimination {
 public:
  explicit Elimination(Polyhedron whole);

  // A constraint without variables does not hold: there are no points.
  bool contradictory() const { return contradictory_; }
  const Polyhedron& rest() const { return rest_; }
  // From a point of the rest to one of the whole. False: beyond 64 bits.
  bool Complete(std::vector<int64_t>& values) const;

 private:
  void Solve(const Linear& equation);
  void DropImplied();

  Polyhedron rest_;
  bool contradictory_ = false;
  std::vector<std::pair<Var, Linear>> solved_;  // by those solved later
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_ELIMINATION_H_
