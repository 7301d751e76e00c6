// A tensor of which one kernel stores the part up to some row, or column, and
// another the rest:
//
//   kernel head .. { grid (M / 2)      .. st D[cta.x, :] }
//   kernel tail .. { grid (M - M / 2)  .. st D[M / 2 + cta.x, :] }
//
// Or all of it by itself.
#ifndef TILESIM_CHECKERS_GRID_PARTS_H_
#define TILESIM_CHECKERS_GRID_PARTS_H_

#include <cstdint>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

struct StoringKernel {
  const Accesses& accesses;
  const machine::Code& code;
  const Words& words;
  int32_t decl;  // the tensor
};

// Whether one of the kernels, or two, store all of it, at every size at which
// all of them are launched (docs/all_sizes.md 5.4).
bool StoresAllInParts(const std::vector<StoringKernel>& kernels);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_PARTS_H_
