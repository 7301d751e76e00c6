#include "checkers/run/awaited.h"

#include "checkers/run/blocking.h"

namespace tilesim::checkers::run {

// The mbarrier is observed instead.
void Awaited::Raised(const machine::Signal& signal) {
  if (signal.kind == machine::Signal::Kind::kMbarrier) return;
  for (std::optional<Wait>& wait : waits_) {
    if (wait && wait->signal == signal) wait.reset();
  }
}

void Awaited::Stepped(const machine::State& state, int32_t strand,
                      const machine::StepResult& result) {
  waits_.resize(state.strands.size());
  // The places of strands that have ended may be others' now.
  for (int32_t other : result.absorbed) waits_[other].reset();
  for (int32_t other : result.strands) waits_[other].reset();
  waits_[strand].reset();
  bool waits = result.kind == machine::StepResult::Kind::kBlocked &&
               SaysWhenOver(result.signal.kind);
  if (waits) waits_[strand] = {result.signal, PhaseOf(state, result.signal)};
}

}  // namespace tilesim::checkers::run
