// A number once more: what a loop counter, a place handed out or an element of
// memory is in another execution. Two that are told apart by nothing would
// otherwise be one.
#ifndef TILESIM_CHECKERS_GRID_RENAMING_H_
#define TILESIM_CHECKERS_GRID_RENAMING_H_

#include <functional>
#include <map>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/terms.h"

namespace tilesim::checkers::grid {

class Renaming {
 public:
  // Of terms of `accesses`. What is of the launch is the same again, what
  // `keeps` says, and what is a function of that. Copies are what their
  // definitions say where `where` holds; where it does not, any number.
  Renaming(Accesses& accesses, std::function<bool(Var)> keeps,
           Formula where = Formula::True())
      : accesses_(accesses),
        terms_(accesses.terms),
        keeps_(std::move(keeps)),
        where_(std::move(where)) {}

  Linear Of(const Linear& l);
  Formula Of(const Formula& f);
  // When all has been asked for: clusters that have been handed out once more
  // are handed out.
  void HandOut();
  // What has been copied, and its copies.
  const std::map<Var, Var>& names() const { return names_; }

 private:
  bool Stays(Var v);
  Var Copy(Var v);

  Accesses& accesses_;
  Terms& terms_;
  const std::function<bool(Var)> keeps_;
  const Formula where_;
  std::map<Var, bool> stays_;
  std::map<Var, Var> names_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_RENAMING_H_
