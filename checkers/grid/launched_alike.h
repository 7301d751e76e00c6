// Kernels whose CTAs ask cluster launch control for the clusters that have not
// been launched: what they do for such a cluster, told as what its own CTAs
// would have done.
#ifndef TILESIM_CHECKERS_GRID_LAUNCHED_ALIKE_H_
#define TILESIM_CHECKERS_GRID_LAUNCHED_ALIKE_H_

#include <cstddef>
#include <cstdint>
#include <set>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// Makes of `access`, in the loop that asks for a cluster in each iteration,
// that of the first iteration alone. If every CTA makes it there, then over all
// CTAs and iterations it is made once for each CTA of the grid, and at the same
// places, whatever clusters are handed out. False: that was not shown.
bool AsLaunched(const Accesses& accesses, const Words& words, Access& access);

// A loop that asks for a cluster in each iteration is around it.
bool IsInLoopThatAsks(const Accesses& accesses, const Access& access);

// Of stores to a tensor those that a CTA makes for clusters that it is handed,
// as it makes another for itself in front of the loop: with that they are made
// once for each CTA of the grid. (Indices into `all`.) None, where for a store
// in front of the loop none was found.
std::set<size_t> Continuations(const Accesses& accesses, const Words& words,
                               int32_t decl);

// Whether CTAs that are handed clusters store all that the CTAs of those would
// have stored to the tensor.
bool StoreAsLaunched(const Accesses& accesses, const Words& words,
                     int32_t decl);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_LAUNCHED_ALIKE_H_
