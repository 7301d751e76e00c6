#include "ir/atomic.h"

namespace tilesim::ir {

// A reduction by the async proxy has no scope of its own: it is for all.
Atomic AtomicInGrid(std::span<const Effect> effects, int operand) {
  Atomic out = Atomic::kNot;
  for (const Effect& e : effects) {
    if (e.operand != operand || e.sem == Sem::kWeak) continue;
    const bool generic = e.proxy == Proxy::kGeneric;
    if (generic && e.scope < MemScope::kGpu) return Atomic::kNot;
    out = generic ? Atomic::kGenericProxy : Atomic::kAsyncProxy;
  }
  return out;
}

}  // namespace tilesim::ir
