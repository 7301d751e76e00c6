// Accesses that do not race with their like, whichever CTAs make them: atomic
// for the whole grid, by one proxy, of one size (PTX 8.7, morally strong).
#ifndef TILESIM_IR_ATOMIC_H_
#define TILESIM_IR_ATOMIC_H_

#include <cstdint>
#include <span>

#include "ir/effect.h"

namespace tilesim::ir {

enum class Atomic : uint8_t { kNot, kGenericProxy, kAsyncProxy };

constexpr bool AreAtomic(Atomic a, Atomic b) {
  return a != Atomic::kNot && a == b;
}

// What the accesses are that an op of these effects makes to an operand.
Atomic AtomicInGrid(std::span<const Effect> effects, int operand);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_ATOMIC_H_
