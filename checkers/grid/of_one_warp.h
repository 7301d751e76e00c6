// Numbers that depend on the warp alone, in one warp: its own, and quotients
// and remainders of such by constants.
#ifndef TILESIM_CHECKERS_GRID_OF_ONE_WARP_H_
#define TILESIM_CHECKERS_GRID_OF_ONE_WARP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

class OfOneWarp {
 public:
  OfOneWarp(const Accesses& all, int64_t warp);

  const std::vector<Var>& known() const { return known_; }
  const std::vector<int64_t>& values() const { return values_; }  // by variable

  // What is known in it, as a sum, and what is not.
  int64_t Sum(const Linear& l) const;
  Linear Rest(const Linear& l) const;
  // With the numbers of the warp in place of their names, also in products.
  Linear Put(const Linear& l) const;

 private:
  bool Knows(Var v) const;
  std::optional<int64_t> ValueOf(const Linear& l) const;
  void Learn(const Linear& l, int64_t value);

  const Terms& terms_;
  std::vector<Var> known_;
  std::vector<int64_t> values_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_OF_ONE_WARP_H_
