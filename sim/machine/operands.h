// Operands of ops: those that are the same each time are worked out once, the
// others for the strand that executes the op.
#ifndef TILESIM_SIM_MACHINE_OPERANDS_H_
#define TILESIM_SIM_MACHINE_OPERANDS_H_

#include <cstdint>

#include "ir/concrete.h"
#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::machine {

// Writes what a run decides of operand `c`; the rest of `out` is `c.fixed`
// already. False: it names an object or rank that does not exist.
bool EvaluateOperand(const Code& code, const CompiledOperand& c,
                     const int64_t* slots, const Who& who,
                     ir::OperandValue& out);

// CompiledOp::moves_data.
ir::Milestone MovesData(const ir::OpInfo& info);

// Fills in CompiledOp::fixed and ::varying.
void FixOperands(const Code& code, CompiledOp& op);

// The op of an operation in flight that a CTA of rank `cluster_rank` issued;
// Restore: into what holds some execution of that op.
ir::ConcreteOp ConcreteOf(const CompiledOp& op, const InFlight& f,
                          uint8_t cluster_rank);
void Restore(const CompiledOp& op, const InFlight& f, uint8_t cluster_rank,
             ir::ConcreteOp& out);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_OPERANDS_H_
