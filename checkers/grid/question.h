// A question about CTAs of one launch, two as a rule: what is of the launch is
// one integer for all, everything else one for each. Definitions come along
// with what they define.
#ifndef TILESIM_CHECKERS_GRID_QUESTION_H_
#define TILESIM_CHECKERS_GRID_QUESTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checkers/grid/terms.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

// Enough to show that nothing fits, where that is so for a reason that the
// formulas state.
inline constexpr solver::Effort kRefute{.points = 200, .refute_only = true};

class Question {
 public:
  // Of more than two: those from the third on have the numbers that follow.
  enum class Cta : uint8_t { kFirst, kSecond };

  explicit Question(const Terms& terms, size_t ctas = 2);

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
  void BeCongruent(Cta one, Cta other);
  std::vector<Var>& names(Cta cta) { return names_[static_cast<int>(cta)]; }

  const Terms& terms_;
  solver::Problem problem_;
  std::vector<std::vector<Var>> names_;  // by CTA; -1: not asked yet
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_QUESTION_H_
