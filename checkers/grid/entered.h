// Which loops go around at least once whenever a thread comes to them, at every
// size and in every CTA: asked of the solver, with what the text says of their
// bounds and of when a thread comes there (accesses.h).
//
//   requires S <= T
//   for k in cta.z * T / S..(cta.z + 1) * T / S { ... }      // cta.z < S
//
// Nothing follows from what is not shown.
#ifndef TILESIM_CHECKERS_GRID_ENTERED_H_
#define TILESIM_CHECKERS_GRID_ENTERED_H_

#include <cstdint>
#include <set>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// By where they begin. Where the text calls a function several times, a loop of
// it is one if all of them are.
std::set<Site> LoopsEntered(const Accesses& accesses);

// Likewise lets that are 1 or more whenever they are evaluated, by their slots:
//
//   requires K % (SPLIT * 64) == 0
//   let KT = K / 64 / SPLIT                                  // K >= 64
std::set<int32_t> PositiveLets(const Accesses& accesses);

// Whenever a thread comes to this loop there is a first iteration.
bool AlwaysEntered(const Accesses& accesses, const ir::Stmt* loop);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_ENTERED_H_
