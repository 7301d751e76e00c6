// Loops that ask for a word until it is a number: semaphores of which each
// waits for its turn.
//
//   L: @%first ld.acquire.gpu.s32 %r1, [%rd1];
//      setp.ne.s32 %p1, %r1, %turn;
//      bar.red.and.pred %p2, 0, %p1;
//      @%p2 bra L;
#ifndef TILESIM_PTX_FLOW_TURNS_H_
#define TILESIM_PTX_FLOW_TURNS_H_

#include <cstdint>
#include <optional>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// What a load is compared with, and nothing else is done with what it returns.
struct TurnAsk {
  int32_t reg = -1;  // that has the number; -1: `number`
  int64_t number = 0;
  bool in_loop = false;  // it asks again; else it has asked before the loop
};

// nullopt: the loop does more than to ask, or more is done with the answer, or
// what it does more than that depends on how many rounds there were. One that
// asks has, in each round, what it synchronises by: who leaves it at once has
// met all barriers that others meet who go round.
std::optional<TurnAsk> AsksForTurn(const Graph& graph, int32_t load);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_TURNS_H_
