// To which ops some thread of a CTA comes exactly where sizes and the CTA's
// place in the grid say so: under conditions of these alone, in no loop but one
// that only asks for a word, which begins with 0.
//
//   if cta.x > 0 {
//     thread 0 {
//       var f = 0
//       while f == 0 { ld.acquire.gpu f, Flag[cta.x - 1] }     // cta.x > 0
//
// Of what memory decides, or a loop, nothing is said.
#ifndef TILESIM_CHECKERS_GRID_REACHED_H_
#define TILESIM_CHECKERS_GRID_REACHED_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ir/program.h"

namespace tilesim::checkers::grid {

// Conditions that all hold, or do not (`false`).
using Path = std::vector<std::pair<const ir::Expr*, bool>>;

class Reached {
 public:
  // Of a kernel that outlives it.
  explicit Reached(const ir::Kernel& kernel);

  // nullptr: it is not known when.
  const Path* PathTo(const ir::Op& op) const {
    auto at = paths_.find(&op);
    return at == paths_.end() ? nullptr : &at->second;
  }

 private:
  void Walk(const ir::Block& block, const Path& path);
  void Poll(const ir::Block& block, size_t at, const Path& path);
  bool IsPlain(const ir::Expr& e) const;

  std::set<int32_t> plain_;  // lets, by slot
  std::map<const ir::Op*, Path> paths_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_REACHED_H_
