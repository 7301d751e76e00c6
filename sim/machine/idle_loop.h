// Whether a strand that executes control code only has come back to where it
// was, so that it goes round for ever: told from a loop that only takes long.
#ifndef TILESIM_SIM_MACHINE_IDLE_LOOP_H_
#define TILESIM_SIM_MACHINE_IDLE_LOOP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

class IdleLoop {
 public:
  // The code must outlive it.
  explicit IdleLoop(const Code& code)
      : code_(code), passed_(code.instrs.size()) {}

  // The strand is about to execute its next control instruction, and has
  // executed no op since the call before. True: it stands where it stood
  // before, and what decides where it goes from there is what it was.
  bool Repeats(const Strand& strand);

 private:
  bool SameAsKept(const Strand& strand);
  void Read(const CompiledExpr& expr, std::vector<bool>& slots) const;
  void FindDeciding();

  const Code& code_;
  std::optional<Strand> kept_;
  std::vector<bool> passed_;      // since then; by pc
  std::vector<size_t> deciding_;  // slots that decide where these lead
  bool found_deciding_ = false;
  int64_t steps_ = 0, keep_ = 0;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_IDLE_LOOP_H_
