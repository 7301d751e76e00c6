// Strands that only ask, again and again, for what nobody is left to change.
//
// As long as nothing but asking happens, a strand that comes back to where it
// was, with the scalars that it had, goes round for ever; if all that could
// happen next is that such strands ask again, the run never ends.
#ifndef TILESIM_SIM_TIMING_POLLERS_H_
#define TILESIM_SIM_TIMING_POLLERS_H_

#include <cstdint>
#include <vector>

#include "sim/machine/machine.h"

namespace tilesim::timing {

// Whether executing the op changes nothing that another one, or control, can
// notice, but scalars of the strand itself.
bool OnlyAsks(const machine::Code& code, const machine::CompiledOp& op);

class Pollers {
 public:
  // Something else than asking happened.
  void Changed() {
    ++epoch_;
    circling_ = 0;
  }
  // The strand has executed an op that only asks.
  void Asked(int32_t strand, const machine::Strand& at,
             const machine::CompiledOp& op);
  // How many strands were seen to go round since something changed.
  int64_t circling() const { return circling_; }

  struct Circling {
    int32_t strand;
    const machine::CompiledOp* op;
  };
  std::vector<Circling> all() const;
  // They go round for ever: one finding, at the op of the first.
  void Report(machine::Machine& machine, const machine::State& state) const;

 private:
  // A place that a strand comes back to is found as its last marked one: marks
  // are ever further apart, so that any circle fits between two.
  struct Poller {
    uint64_t epoch = 0;
    int64_t asked = 0, next_mark = 1;
    int32_t pc = -1;
    std::vector<int64_t> slots;
    const machine::CompiledOp* op = nullptr;
    bool circles = false;
  };

  std::vector<Poller> pollers_;  // by strand
  uint64_t epoch_ = 1;
  int64_t circling_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_POLLERS_H_
