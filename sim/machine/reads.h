// Whether an expression of compiled code reads a scalar.
#ifndef TILESIM_SIM_MACHINE_READS_H_
#define TILESIM_SIM_MACHINE_READS_H_

#include <cstdint>

#include "sim/machine/code.h"

namespace tilesim::machine {

// Whether a slot for which `is` holds is read; asked in order, until one does.
template <typename F>
bool Reads(const Code& code, const CompiledExpr& e, F is) {
  if (e.constant) return false;
  for (int32_t i = e.begin; i < e.end; ++i) {
    const ExprInstr& instr = code.expr_code[i];
    if (instr.kind == ExprInstr::Kind::kSlot && is(instr.index)) return true;
  }
  return false;
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_READS_H_
