// Which memory decides control: where a thread goes next, whom it waits for and
// which bytes it touches depend on its values, directly or through what is
// computed of them.
#ifndef TILESIM_SIM_MACHINE_CONTROL_H_
#define TILESIM_SIM_MACHINE_CONTROL_H_

#include <cstddef>
#include <span>

#include "ir/effect.h"
#include "sim/machine/code.h"

namespace tilesim::machine {

// Such memory must always be there, even when only time or order is wanted, and
// ops that move or compute it must. `code` is otherwise complete.
void MarkControl(Code& code);

// Whether the operand is a scalar that the op sets.
bool TakesVar(const CompiledOp& op, size_t operand);
// Whether numbers that the op is given are payload, as far as they are not
// where something lies. `effects`: those of the op.
bool OnlyMovesData(const CompiledOp& op, std::span<const ir::Effect> effects);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_CONTROL_H_
