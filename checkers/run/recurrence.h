// Whether all that decides how a run of compiled code goes on is as it was
// before: its strands, what they wait for, memory that decides. Then it goes
// round for ever, as a thread does that asks for a word which nobody writes, be
// it by an atomic, or in rounds of its whole CTA.
//
// What it may miss is where memory, or a number that nobody needs, changes and
// is as it was again.
#ifndef TILESIM_CHECKERS_RUN_RECURRENCE_H_
#define TILESIM_CHECKERS_RUN_RECURRENCE_H_

#include <cstdint>
#include <optional>

#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

// How often words have changed in runs of the code; 0: it does not say.
uint64_t ChangesSoFar(const machine::Code& code);

class Recurrence {
 public:
  // Before strands take their turns; `changes`: how often words of memory have
  // changed. Whether the run was here before, and nothing but strands has moved
  // since.
  bool IsHere(const machine::State& state, uint64_t changes);
  // Something else moves on.
  void Forget() { kept_.reset(); }

 private:
  struct Kept {
    uint64_t changes = 0;
    machine::State state;
  };

  std::optional<Kept> kept_;
  uint64_t turn_ = 0, keep_at_ = 1;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_RECURRENCE_H_
