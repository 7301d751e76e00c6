// What is added to the elements of a tensor, where it is asked whether all of
// it is stored (docs/all_sizes.md 5.4).
#ifndef TILESIM_CHECKERS_GRID_ADDITIONS_H_
#define TILESIM_CHECKERS_GRID_ADDITIONS_H_

#include <algorithm>

#include "checkers/grid/accesses.h"

namespace tilesim::checkers::grid {

// `stores`: to one tensor. What is added beside stores need not be counted.
// Where all is added, and onto zeros, additions are counted as stores: those of
// two CTAs to one element are not atomic then, but meet. What compares first
// may leave the element as it is.
inline void CountAdditions(bool onto_zeros, Accesses& stores) {
  const auto adds = [](const Access& a) {
    return a.atomic != ir::Atomic::kNot;
  };
  if (!std::all_of(stores.all.begin(), stores.all.end(), adds)) {
    std::erase_if(stores.all, adds);
    return;
  }
  for (Access& a : stores.all) {
    const bool compares = a.op->info->kind == ir::OpKind::kAtomCas;
    if (onto_zeros && !compares) a.atomic = ir::Atomic::kNot;
  }
}

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_ADDITIONS_H_
