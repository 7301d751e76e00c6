// Which boxes of global tensors lie inside their tensor, at every size and in
// every CTA: asked of the solver, with what the text says of where an access
// is and when it is made (accesses.h).
//
//   let t = cta.x                      // grid P * Q
//   st W[t / Q, t % Q], 1              // W[P, Q]
//
// Accesses are at least those that there are, so what is shown of all of them
// is true of each that a run makes. Nothing follows from what is not shown.
#ifndef TILESIM_CHECKERS_GRID_INSIDE_H_
#define TILESIM_CHECKERS_GRID_INSIDE_H_

#include <compare>
#include <cstdint>
#include <set>

#include "checkers/grid/words.h"
#include "ir/bind.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

// A dimension of a box.
struct Side {
  Site box;
  int32_t dim = 0;

  friend auto operator<=>(const Side&, const Side&) = default;
};

// Those of which what must be there is (ir::MustBeThere). Parameters that
// `fixed` names have that value, others any that is permitted. The kernel is
// the only one: elements of tensors that it does not write are in their
// domains.
std::set<Side> SidesInside(const machine::Code& code,
                           const ir::Overrides& fixed);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_INSIDE_H_
