// One step of a schedule, named so that it means the same in every run that
// got to the same place: not by slots of the machine, but by who it is.
//
//   {cta 0, warp 2}                     the warp executes its next op
//   {cta 0, warp 1, operation 3, kDone}  the 4th asynchronous operation that
//                                        warp 1 issued is done
#ifndef TILESIM_CHECKERS_RUN_MOVE_H_
#define TILESIM_CHECKERS_RUN_MOVE_H_

#include <cstdint>
#include <vector>

#include "ir/effect.h"
#include "sim/machine/state.h"

namespace tilesim::checkers::run {

struct Move {
  int16_t cta = 0;         // rank
  int16_t warp = 0;        // of a warpgroup's op: the first
  int32_t operation = -1;  // -1: the warp itself
  ir::Milestone milestone = ir::Milestone::kIssue;

  friend auto operator<=>(const Move&, const Move&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Move& m) {
    return H::combine(std::move(h), m.cta, m.warp, m.operation, m.milestone);
  }
};

using Path = std::vector<Move>;

// The strand of a move by a warp, in the cluster that was launched first: its
// CTAs have the slots of their ranks. -1: it has ended.
inline int32_t StrandOf(const machine::State& state, const Move& move) {
  for (int32_t i : state.ctas[move.cta].strands) {
    const ir::ThreadSet& t = state.strands[i].threads;
    if (move.warp >= t.first_warp && move.warp < t.first_warp + t.warps)
      return i;
  }
  return -1;
}

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_MOVE_H_
