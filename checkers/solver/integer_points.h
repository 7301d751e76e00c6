// Integer points of a polyhedron, by isl. The one file that knows isl.
#ifndef TILESIM_CHECKERS_SOLVER_INTEGER_POINTS_H_
#define TILESIM_CHECKERS_SOLVER_INTEGER_POINTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "checkers/solver/linear.h"

namespace tilesim::checkers::solver {

// All hold at once: each of `zero` is 0, each of `natural` at least 0.
struct Polyhedron {
  std::vector<Linear> zero;
  std::vector<Linear> natural;
};

enum class Answer : uint8_t { kNone, kSome, kUnknown };

struct Point {
  Answer answer = Answer::kUnknown;
  std::vector<int64_t> values;  // kSome: by variable
};

class IntegerPoints {
 public:
  // Gives up for good after so many operations of isl, so that what comes out
  // does not depend on the machine's speed.
  explicit IntegerPoints(int64_t max_operations);
  ~IntegerPoints();
  IntegerPoints(const IntegerPoints&) = delete;
  IntegerPoints& operator=(const IntegerPoints&) = delete;

  // Some integer point over variables 0 .. variables - 1. kUnknown: operations
  // have run out, or the point is beyond 64 bits.
  Point Find(Polyhedron polyhedron, int variables);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_CHECKERS_SOLVER_INTEGER_POINTS_H_
