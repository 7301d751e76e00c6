// A question about two CTAs of one launch: what is of the launch is one integer
// for both, everything else one for each. Definitions come along with what they
// define.
#ifndef TILESIM_CHECKERS_GRID_QUESTION_H_
#define TILESIM_CHECKERS_GRID_QUESTION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "checkers/grid/terms.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

class Question {
 public:
  enum class Cta : uint8_t { kFirst, kSecond };

  explicit Question(const Terms& terms);

  // As the solver names it.
  Linear Of(const Linear& l, Cta cta);
  Formula Of(const Formula& f, Cta cta);

  void Require(Formula f) { problem_.formulas.push_back(std::move(f)); }
  void Require(const Formula& f, Cta cta) { Require(Of(f, cta)); }
  // Whether anything that was asked of the CTA depends on `v`, a variable.
  bool Asked(const Linear& v, Cta cta) const {
    return names_[static_cast<int>(cta)][*v.variable()] >= 0;
  }

  solver::Point Answer(const solver::Effort& effort);
  int64_t ValueOf(const Linear& l, Cta cta,
                  const std::vector<int64_t>& values) const;

 private:
  Var Named(Var v, Cta cta);
  std::vector<Var>& names(Cta cta) { return names_[static_cast<int>(cta)]; }

  const Terms& terms_;
  solver::Problem problem_;
  std::array<std::vector<Var>, 2> names_;  // -1: not asked yet
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_QUESTION_H_
