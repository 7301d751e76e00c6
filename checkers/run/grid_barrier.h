// A barrier of a whole grid: a word that is 0 at first, to which every CTA adds
// 1, and which others ask for until all have.
//
//   red.add.release.gpu Arrived[0], 1
//   while n < grid.x {
//     ld.acquire.gpu n, Arrived[0]
//   }
//
// It is a flag that is set when the last CTA has added (flags.h): who has seen
// that comes after what each of them released.
//
// Likewise a barrier of some CTAs, each of which adds to the word that its
// place in the grid names, and waits for that until as many have as have the
// word:
//
//   red.add.release.gpu Arrived[cta.y], 1
//   while n < grid.x {
//     ld.acquire.gpu n, Arrived[cta.y]
//   }
#ifndef TILESIM_CHECKERS_RUN_GRID_BARRIER_H_
#define TILESIM_CHECKERS_RUN_GRID_BARRIER_H_

#include <cstdint>
#include <optional>

#include "checkers/run/flags.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

// `decl`, as such a word, or such words of the steps of a loop (step_words.h);
// nullopt: it is none, or CTAs are not alone in their clusters.
std::optional<Flags> GridBarrierIn(const machine::Code& code, int32_t decl);

// To what the op waits for the word to grow: the right side of a `<` or `!=`
// between the scalar that it sets and a number that is the same for all CTAs.
std::optional<machine::CompiledExpr> AwaitedCount(const machine::Code& code,
                                                  int32_t op);

// Whether each CTA of the run has added 1 to each such word, of steps to those
// that it waits for, once, and its own threads wait for it after that only.
bool CountsAtBarriers(const Log& log);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_GRID_BARRIER_H_
