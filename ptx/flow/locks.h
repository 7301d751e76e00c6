// Loops that take a lock: an atomic puts a number where 0 is, and is tried
// again until it has found the 0.
//
//   L: atom.acquire.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
//      setp.ne.s32 %p1, %r1, 0;
//      @%p1 bra L;
//
// Or all threads of the CTA go round, and hear of the answer in each round:
//
//   L: @%first atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1], 0, 1;
//      @%first st.shared.b32 [%r2], %r1;
//      bar.sync 0;
//      ld.shared.b32 %r3, [%r2];
//      setp.eq.s32 %p1, %r3, 1;
//      bar.sync 0;
//      @%p1 bra L;
#ifndef TILESIM_PTX_FLOW_LOCKS_H_
#define TILESIM_PTX_FLOW_LOCKS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

struct LockLoop {
  enum class Kind : uint8_t {
    kNone,    // it does more, or other things, than to try again
    kAlone,   // it does nothing else
    kRounds,  // rounds in vain are alike from the second on, and two of them in
              // no order only if they follow each other
  };
  Kind kind = Kind::kNone;
  // kRounds: where all threads of the CTA meet, instructions of the loop.
  std::vector<int32_t> meets;
};

// What the loop around the node does, an atomic that returns `held` in vain and
// 0 if the lock is taken. What registers always hold, `fixed` says. Of kRounds,
// see alike_rounds.h.
LockLoop LockLoopOf(const Graph& graph, int32_t node, int64_t held,
                    const std::map<int32_t, int64_t>& fixed);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_LOCKS_H_
