// An op of a run, as it has just been executed.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_EXECUTED_OP_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_EXECUTED_OP_H_

#include "checkers/run/log.h"
#include "sim/machine/machine.h"

namespace tilesim::checkers::sizes::induction {

struct ExecutedOp {
  const machine::CompiledOp& op;
  const run::Event& event;
  const machine::State& state;
  int32_t strand;
  const machine::Who& who;

  int operands() const { return static_cast<int>(op.operands.size()); }
  const machine::CompiledOperand& operand(int i) const {
    return op.operands[i];
  }
  // Whether an operand is a scalar that the op sets, instead of reading one.
  bool Sets(int i) const {
    return (op.op->info->operands[i].types & ir::kTakesVar) != 0;
  }
};

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_EXECUTED_OP_H_
