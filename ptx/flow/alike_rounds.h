// Loops of all threads of a CTA in which one thread asks for a word of global
// memory, by a load or an atomic, and the others hear of the answer through
// shared memory, round by round.
//
//   L: @%first ld.acquire.gpu.global.b32 %r1, [%rd1];
//      @%first st.shared.b32 [%r2], %r1;
//      bar.sync 0;
//      ld.shared.b32 %r3, [%r2];
//      setp.ne.b32 %p1, %r3, %turn;
//      bar.sync 0;
//      @%p1 bra L;
#ifndef TILESIM_PTX_FLOW_ALIKE_ROUNDS_H_
#define TILESIM_PTX_FLOW_ALIKE_ROUNDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

struct AlikeRounds {
  // What the loop holds, and where in it all threads of the CTA meet.
  std::vector<int32_t> nodes, meets;
  // What the answer is compared with, if it is one number, for equality, and
  // nothing else is done with it but to hand it on as it is.
  bool one_number = false;
  int32_t reg = -1;  // that has the number; -1: `number`
  int64_t number = 0;
};

// The loop around the node that asks. If the answers in vain are one number,
// or, of `one_number`, any but that one, runs with 0, 1 and 2 rounds in vain
// stand for all, if in these the loop goes on then, and threads meet at one of
// `meets` only with others that meet there:
//
// * No register that the loop sets goes round. What is loaded from shared
//   memory goes into no store, into no address and into no branch but those
//   behind which a round does nothing more. So which instructions a round
//   executes, and what it stores, is the same in every round in vain; what is
//   there in shared memory when one begins is from the second on the same, and
//   so is what it loads.
// * Of answers that differ, all that is loaded and stored in shared memory is
//   as wide as an answer, so that a load finds all of one, or nothing of it;
//   and all that is asked of it is no.
// * All threads of the CTA meet in each round, so that what comes before a
//   round, or in it, is in order with the round after the next, and all do the
//   last round together.
std::optional<AlikeRounds> AlikeRoundsOf(const Graph& graph, int32_t node);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_ALIKE_ROUNDS_H_
