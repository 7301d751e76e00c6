// A loop that does nothing but ask for one word of global memory:
//
//   while ready == 0 {
//     ld.acquire.gpu ready, Ready[peer]
//   }
#ifndef TILESIM_CHECKERS_RUN_POLL_LOOP_H_
#define TILESIM_CHECKERS_RUN_POLL_LOOP_H_

#include <cstdint>
#include <optional>

#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct PollLoop {
  int32_t slot = -1;                               // gets what the word holds
  const machine::CompiledExpr* goes_on = nullptr;  // the loop's condition
};

// The loop that has this op of Code::ops alone in it; nullopt: there is none,
// or which word it asks for depends on what it was told.
std::optional<PollLoop> PollLoopOf(const machine::Code& code, int32_t op);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_POLL_LOOP_H_
