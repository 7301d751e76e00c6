// Whether the slots of a ring are interchangeable: what has been done to slots
// 0, 1, 2 ... might as well have been done to slots 1, 2, 3 ... of it.
//
// An iteration that turns a ring by some slots finds others than the iteration
// before did. Where slots are interchangeable that makes no difference; where
// they are not, only whole rounds of the ring leave everything where it was,
// and an iteration must be as many of them as that takes. Slots differ if their
// memory is that of other declarations as well, in which each slot has its own
// neighbours.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_SLOT_SYMMETRY_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_SLOT_SYMMETRY_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "checkers/run/log.h"
#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::induction {

// Whether no other declaration lies in the same memory.
bool HasOwnMemory(const ir::BoundKernel& bound, int32_t decl);
// Whether that is so of all tiles that the event touches.
bool TouchesOwnMemory(const machine::Code& code, const run::Event& event);

// Of the first ring that does not turn whole rounds and of which a slot is not
// as good as another: how many such iterations make whole rounds. nullopt:
// there is no such ring. `alike`: whether slots of a declaration are, if they
// are turned by so many.
std::optional<int64_t> IterationsToWholeRounds(
    const machine::Code& code, const state::Rotation& rotation,
    absl::FunctionRef<bool(int32_t decl, int64_t turned)> alike);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_SLOT_SYMMETRY_H_
