// Scalars of sizes and of the place in the grid that no polynomial says, as
// where a CTA's piece of the work begins:
//
//   let share = UNITS / PIECES
//   let first = cta.x * share + min(cta.x, UNITS % PIECES)
//   let head = min(units, (TILES_K - first % TILES_K) % TILES_K)
//
// A kernel in which they are parameters, natural numbers of their own, can do
// whatever a CTA of the kernel does, and more: if nothing is wrong with any of
// its CTAs, nothing is with any of the kernel's. What their operators say of
// them (`head` is less than `TILES_K`) is kept, as far as it is a difference.
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checkers/sizes/algebra/polynomial.h"
#include "ir/bind.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::sizes::partition {

struct Abstracted {
  ir::Kernel kernel;
  // Of the kernel, that are parameters here: its last ones. In several roles
  // one name may be several.
  std::vector<std::string> opaque;
  // What is at least 0: kSteps + i is by how many steps parameter i is above
  // its lowest value.
  std::vector<algebra::Polynomial> known;
};

// `code` keeps its parameters, of which `defines` are given and the others may
// be any that are permitted. The kernel as it is, if all its scalars can be
// said, if too many cannot, if they depend on how many SMs the GPU has, or if a
// cluster has several CTAs. `positive`: lets that are 1 or more, by slot.
Abstracted WithoutOpaque(const machine::Code& code,
                         const ir::Overrides& defines,
                         const std::set<int32_t>& positive = {});

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_OPAQUE_H_
