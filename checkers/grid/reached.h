// To which ops some thread of a CTA comes exactly where sizes and the CTA's
// place in the grid say so: under conditions of these alone, in no loop but one
// that only asks for a word, which begins with 0.
//
//   if cta.x > 0 {
//     thread 0 {
//       var f = 0
//       while f == 0 { ld.acquire.gpu f, Flag[cta.x - 1] }     // cta.x > 0
//
// Of what memory decides, or another loop, nothing is said; of ops in a loop
// that stands in the kernel's own body, and which nothing leaves or goes on
// with early, it is said of each iteration, if there is any.
#ifndef TILESIM_CHECKERS_GRID_REACHED_H_
#define TILESIM_CHECKERS_GRID_REACHED_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checkers/grid/scalars.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// Conditions that all hold, or do not (`false`).
using Path = std::vector<std::pair<const ir::Expr*, bool>>;

// That each holds, or does not.
std::vector<Formula> ConditionsOf(const Path& path, Scalars& scalars);

class Reached {
 public:
  // Of a kernel that outlives it.
  explicit Reached(const ir::Kernel& kernel);

  // nullptr: it is not known when.
  const Path* PathTo(const ir::Op& op) const {
    auto at = paths_.find(&op);
    return at == paths_.end() ? nullptr : &at->second;
  }
  // Likewise in each iteration of such a loop, by the same threads.
  const Path* PathInLoop(const ir::Op& op) const {
    auto at = in_loops_.find(&op);
    return at == in_loops_.end() ? nullptr : &at->second;
  }
  // One or the other.
  const Path* PathOf(const ir::Op& op) const {
    const Path* path = PathTo(op);
    return path != nullptr ? path : PathInLoop(op);
  }

 private:
  using Paths = std::map<const ir::Op*, Path>;
  // The place of a statement in its block, and that of what is around it.
  struct At {
    const ir::Block* block = nullptr;
    size_t index = 0;
    const At* around = nullptr;
  };
  void Walk(const ir::Block& block, const Path& path, const At* around,
            Paths& out);
  static void Poll(const At& at, const Path& path, Paths& out);
  bool IsPlain(const ir::Expr& e) const;

  std::set<int32_t> plain_;  // lets, by slot
  Paths paths_, in_loops_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_REACHED_H_
