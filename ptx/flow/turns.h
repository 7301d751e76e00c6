// Loops that ask for a word until it is a number: semaphores of which each
// waits for its turn.
//
//   L: @%first ld.acquire.gpu.s32 %r1, [%rd1];
//      setp.ne.s32 %p1, %r1, %turn;
//      bar.red.and.pred %p2, 0, %p1;
//      @%p2 bra L;
//
// Who asks may do so by an atomic that leaves the word as it is: atom.cas of
// two equal numbers, atom.add of 0. One that follows such an atomic in the
// order of the word reads, by the atomic, what was there before.
#ifndef TILESIM_PTX_FLOW_TURNS_H_
#define TILESIM_PTX_FLOW_TURNS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// What a load is compared with, and nothing else is done with what it returns.
struct TurnAsk {
  int32_t reg = -1;  // that has the number; -1: `number`
  int64_t number = 0;
  bool in_loop = false;  // it asks again; else it has asked before the loop
  // All threads of the CTA go round (alike_rounds.h): what the loop holds, and
  // where they meet. Empty: who asks goes round alone.
  std::vector<int32_t> loop, meets;
};

// Whether the node is an atomic that leaves the word as it is. What registers
// always hold, `fixed` says.
bool LeavesWord(const Node& node, const std::map<int32_t, int64_t>& fixed);

// nullopt: the loop does more than to ask, or more is done with the answer, or
// what it does more than that depends on how many rounds there were. One that
// asks has, in each round, what it synchronises by: who leaves it at once has
// met all barriers that others meet who go round.
std::optional<TurnAsk> AsksForTurn(const Graph& graph, int32_t load,
                                   const std::map<int32_t, int64_t>& fixed);
// Likewise, of a word that is 0 or `only`.
std::optional<TurnAsk> AsksForOnly(const Graph& graph, int32_t load,
                                   int64_t only,
                                   const std::map<int32_t, int64_t>& fixed);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_TURNS_H_
