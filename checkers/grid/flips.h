// Scalars that go back and forth between two numbers, one step in each
// iteration of a loop: `turn = 1 - turn`, `phase = phase ^ 1`.
#ifndef TILESIM_CHECKERS_GRID_FLIPS_H_
#define TILESIM_CHECKERS_GRID_FLIPS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "checkers/grid/growth.h"
#include "checkers/grid/scalars.h"
#include "checkers/grid/terms.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

class Flips {
 public:
  // Of a loop that is about to be entered, and sets `set`: scalars have the
  // values before it. Those of `growth` are left to that.
  Flips(const ir::Block& body, const std::set<int32_t>& set,
        const Growth& growth, Scalars& scalars);

  // As an iteration begins, before which there were as many others.
  void Enter(const Linear& iteration, Terms& terms, Scalars& scalars) const;

 private:
  struct Flip {
    int32_t slot;
    Linear even, odd;  // in iterations of such numbers
  };
  std::vector<Flip> all_;
};

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_FLIPS_H_
