// What strands wait for: until it has changed, they need not be stepped again.
#ifndef TILESIM_CHECKERS_RUN_AWAITED_H_
#define TILESIM_CHECKERS_RUN_AWAITED_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

class Awaited {
 public:
  // Whoever waits for it may go on.
  void Raised(const machine::Signal& signal);
  // A strand was stepped, and what that raised is told.
  void Stepped(const machine::State& state, int32_t strand,
               const machine::StepResult& result);

  // Whether what it waited for then has not changed since.
  bool Still(const machine::State& state, int32_t strand) const {
    auto i = static_cast<size_t>(strand);
    if (i >= waits_.size() || !waits_[i]) return false;
    return waits_[i]->phase == PhaseOf(state, waits_[i]->signal);
  }

 private:
  struct Wait {
    machine::Signal signal;
    int64_t phase;
  };

  // Of an mbarrier; -1: it is not there. 0: of anything else.
  static int64_t PhaseOf(const machine::State& state,
                         const machine::Signal& signal) {
    if (signal.kind != machine::Signal::Kind::kMbarrier) return 0;
    const machine::Mbarrier& b = state.ctas[signal.id].mbarriers[signal.index];
    return b.live ? int64_t{b.phase} : -1;
  }

  std::vector<std::optional<Wait>> waits_;  // by strand
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_AWAITED_H_
