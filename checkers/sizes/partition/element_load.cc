#include "checkers/sizes/partition/element_load.h"

namespace tilesim::checkers::sizes::partition {
using ir::Operand;

std::optional<ElementLoad> ElementLoadOf(const ir::Stmt& s) {
  if (!s.op || s.op->operands.size() != 2) return std::nullopt;
  const Operand &to = s.op->operands[0], &from = s.op->operands[1];
  const bool loads = (s.op->info->operands[0].types & ir::kTakesVar) != 0 &&
                     s.op->info->operands[1].element &&
                     from.kind == Operand::Kind::kRef && from.ref.cta.empty() &&
                     to.kind == Operand::Kind::kExpr &&
                     to.expr.kind == ir::ExprKind::kName;
  if (!loads) return std::nullopt;
  return ElementLoad{&to.expr, &from.ref};
}

}  // namespace tilesim::checkers::sizes::partition
