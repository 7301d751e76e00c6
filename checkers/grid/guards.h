// Which of the conditions that an access stands under are those of an `if`.
#ifndef TILESIM_CHECKERS_GRID_GUARDS_H_
#define TILESIM_CHECKERS_GRID_GUARDS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

class Guards {
 public:
  // The next condition, which has so many before it, in a loop or not.
  void Push(size_t before, bool in_loop) {
    which_.push_back(before);
    if (!in_loop) ++once_;
  }
  void Pop() {
    which_.pop_back();
    once_ = std::min(once_, which_.size());
  }

  // All conditions, apart.
  Access::Guarded Split(const std::vector<Formula>& all) const {
    Access::Guarded out;
    std::vector<Formula> rest;
    auto guard = which_.begin();
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is = guard != which_.end() && *guard == i;
      (is ? out.guards : rest).push_back(all[i]);
      if (is) ++guard;
    }
    out.when = solver::All(std::move(rest));
    out.once = once_;
    return out;
  }

 private:
  std::vector<size_t> which_;
  size_t once_ = 0;  // of these, the first: in no loop
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_GUARDS_H_
