// Reads off expressions which operators they have that are not defined for each
// right operand: `/`, `%` and cdiv by 0, shifts by less than 0 or more than 62.
#ifndef TILESIM_CHECKERS_GRID_OPERATORS_H_
#define TILESIM_CHECKERS_GRID_OPERATORS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/scalars.h"
#include "ir/expr.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

bool IsShift(const ir::Expr& e);

inline constexpr int64_t kMostShifted = 62;

// Of one kernel, in the order of its text.
class OperatorReader {
 public:
  // `out` gets them.
  OperatorReader(std::vector<Operator>& out, Scalars& scalars)
      : out_(out), scalars_(scalars) {}

  // What is evaluated for the launch.
  void ReadLaunch(const ir::Kernel& kernel);
  // What is evaluated where all of `when` holds, scalars being what they are.
  // `when` is as before afterwards.
  void Read(const ir::Expr& e, std::vector<Formula>& when);
  void Read(const ir::Op& op, std::vector<Formula>& when);
  void Read(const std::vector<ir::Scope>& scopes, std::vector<Formula>& when);
  // The slot is `value` from here on.
  void Let(int32_t slot, const ir::Expr& value);

 private:
  void ReadUnder(Formula condition, const ir::Expr& e,
                 std::vector<Formula>& when);
  bool IsFloat(const ir::Expr& e) const;

  std::vector<Operator>& out_;
  Scalars& scalars_;
  std::set<int32_t> floats_;  // slots; floats are divided by anything
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_OPERATORS_H_
