// Of two accesses by CTAs of one launch: that no word of global memory puts
// them in order (words.h), as a further condition of the question whether they
// meet.
#ifndef TILESIM_CHECKERS_GRID_BY_WORDS_H_
#define TILESIM_CHECKERS_GRID_BY_WORDS_H_

#include <memory>

#include "checkers/grid/accesses.h"
#include "checkers/grid/question.h"
#include "checkers/grid/words.h"
#include "checkers/solver/solver.h"

namespace tilesim::checkers::grid {

class ByWords {
 public:
  // Of accesses and words that outlive it.
  ByWords(const Accesses& accesses, const Words& words,
          const solver::Effort& effort);
  ~ByWords();

  // `a` of the first CTA, `b` of the second.
  void Require(Question& q, const Access& a, const Access& b);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_BY_WORDS_H_
