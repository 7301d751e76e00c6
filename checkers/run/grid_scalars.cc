#include "checkers/run/grid_scalars.h"

#include <algorithm>

namespace tilesim::checkers::run {
namespace {

using machine::Instr;

// How often the text sets each scalar; a parameter is set before it begins.
std::vector<int> SetsOf(const machine::Code& code) {
  std::vector<int> sets(code.initial_slots.size());
  for (const Instr& i : code.instrs) {
    bool set = i.kind == Instr::Kind::kSet || i.kind == Instr::Kind::kForNext;
    if (set) ++sets[i.a];
  }
  for (const machine::CompiledOp& op : code.ops) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bool takes_var = (op.op->info->operands[i].types & ir::kTakesVar) != 0;
      int16_t slot = op.operands[i].fixed.slot;
      if (takes_var && slot >= 0) ++sets[slot];
    }
  }
  return sets;
}

}  // namespace

GridScalars::GridScalars(const machine::Code& code)
    : code_(code), varying_(code.initial_slots.size(), true) {
  for (const ir::Param& p : code.kernel().params) varying_[p.slot] = false;
  std::vector<int> sets = SetsOf(code);
  for (const Instr& i : code.instrs) {
    bool once = i.kind == Instr::Kind::kSet && sets[i.a] == 1 && Fix(i.expr);
    if (!once) continue;
    varying_[i.a] = false;
    sets_.push_back(&i);
  }
}

bool GridScalars::Fix(const machine::CompiledExpr& expr) const {
  if (expr.constant) return true;
  if (expr.varies != machine::Varies::kUniform) return false;
  return std::none_of(
      code_.expr_code.begin() + expr.begin, code_.expr_code.begin() + expr.end,
      [&](const machine::ExprInstr& e) {
        return e.kind == machine::ExprInstr::Kind::kSlot && varying_[e.index];
      });
}

}  // namespace tilesim::checkers::run
