// Expressions as code of a stack machine, which `evaluate.cc` executes.
#ifndef TILESIM_SIM_MACHINE_EXPRESSIONS_H_
#define TILESIM_SIM_MACHINE_EXPRESSIONS_H_

#include <vector>

#include "ir/eval.h"
#include "sim/machine/code.h"

namespace tilesim::machine {

// Appends to `code` what leaves the value of `e` on the stack. What `known` has
// the value of is a number in it.
void Generate(const ir::Expr& e, const ir::EvalEnv& known,
              std::vector<ExprInstr>& code);

// For whom its value may differ, by the text alone: whether strands part at an
// op depends on no size, so that one size can stand for others.
Varies VariesInText(const ir::Expr& e);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_EXPRESSIONS_H_
