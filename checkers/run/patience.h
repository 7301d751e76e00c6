// Waits that wait for the phase after the last one that their threads have seen
// of the barrier, whatever parity they name (RunOptions::patient).
#ifndef TILESIM_CHECKERS_RUN_PATIENCE_H_
#define TILESIM_CHECKERS_RUN_PATIENCE_H_

#include <algorithm>
#include <cstdint>
#include <map>

#include "checkers/run/last_seen.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::run {

// By op: the phase that counts as seen before any was, kNone or -1; or
// kAsWritten: until then the op waits for what its parity names.
inline constexpr int64_t kAsWritten = LastSeen::kNone - 1;
using PatientOps = std::map<int32_t, int64_t>;

class Patience {
 public:
  // null: no wait is one.
  explicit Patience(const PatientOps* ops) : ops_(ops) {}
  bool any() const { return ops_ != nullptr; }

  enum class Now : uint8_t {
    kAsItIs,  // the op of the strand is none of them, or names the right parity
    kNotYet,  // its phase is yet to come
    // It has come, and the parity would have it wait: it passes if one phase
    // more were over.
    kPhaseOn,
  };
  // Of a strand that stands at an op. `barrier`: that it waits for.
  Now At(machine::Machine& machine, machine::State& state, int32_t strand,
         BarrierLife& barrier) const {
    const machine::Strand& s = state.strands[strand];
    const machine::Code& code = machine.code_of(state.ctas[s.cta]);
    auto op = static_cast<int32_t>(machine.op_at(state, s) - code.ops.data());
    auto patient = ops_->find(op);
    if (patient == ops_->end()) return Now::kAsItIs;
    const machine::BarrierUses awaited = machine.Awaits(state, strand);
    if (awaited.empty()) return Now::kAsItIs;
    barrier = awaited[0].barrier;
    int64_t last =
        std::max(seen_.Of(s.cta, s.threads, barrier).number, patient->second);
    if (last == LastSeen::kNone && patient->second == kAsWritten)
      return Now::kAsItIs;
    if (awaited[0].phase <= last + 1) return Now::kNotYet;
    machine::Signal ignored;
    return machine.BlockedOn(state, strand, ignored) ? Now::kPhaseOn
                                                     : Now::kAsItIs;
  }

  // The last event of the log.
  void Saw(const Log& log) {
    if (any())
      seen_.Add(log.events.back(), static_cast<int32_t>(log.events.size()) - 1);
  }

 private:
  const PatientOps* ops_;
  LastSeen seen_;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_PATIENCE_H_
