#include "sim/machine/divisions.h"

#include "ir/cat.h"

namespace tilesim::machine {

int Divisions::Of(const ir::Expr& e) {
  int count = 0;
  for (const ir::Expr& arg : e.args) count += Of(arg);
  bool divides = e.kind == ir::ExprKind::kBinary &&
                 (e.op == ir::ExprOp::kDiv || e.op == ir::ExprOp::kRem);
  if (!divides || is_constant_(e) || is_constant_(e.args[1])) return count;
  bool anew = made_
                  .insert(ir::Cat(ir::ToString(e.args[0]), " by ",
                                  ir::ToString(e.args[1])))
                  .second;
  return count + anew;
}

}  // namespace tilesim::machine
