#include "sim/machine/control.h"

#include <algorithm>

namespace tilesim::machine {
namespace {

bool IsRead(const Code& code, int32_t slot) {
  return std::any_of(
      code.expr_code.begin(), code.expr_code.end(), [=](const ExprInstr& e) {
        return e.kind == ExprInstr::Kind::kSlot && e.index == slot;
      });
}

// Whether the op writes a scalar that some expression reads.
bool WritesControl(const Code& code, const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if ((op.info->operands[i].types & ir::kTakesVar) != 0 &&
        IsRead(code, op.operands[i].expr.slot))
      return true;
  }
  return false;
}

}  // namespace

void MarkControl(Code& code) {
  for (const CompiledOp& op : code.ops) {
    if (!WritesControl(code, *op.op)) continue;
    for (const ir::Operand& o : op.op->operands) {
      if (o.kind != ir::Operand::Kind::kRef) continue;
      code.control_decl[o.ref.decl] = true;
      if (code.bound.decls[o.ref.decl].space == ir::Space::kShared)
        code.control_shared = true;
    }
  }
  for (CompiledOp& op : code.ops) {
    for (const CompiledOperand& c : op.operands) {
      op.control |= c.kind == ir::OperandValue::Kind::kTile &&
                    code.control_decl[c.fixed.tile.decl];
    }
  }
}

}  // namespace tilesim::machine
