#include "checkers/grid/counted_while.h"

#include "checkers/grid/text.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {

void CountUp(const WhileLoop& loop, Terms& terms, Scalars& scalars,
             Access::Iteration& each) {
  const ir::Expr& is = loop.condition;
  const bool compares =
      is.kind == ir::ExprKind::kBinary && is.op == ir::ExprOp::kLt;
  if (!compares || Mentions(is.args[1], loop.set)) return;
  const int32_t slot = ir::SlotOf(is.args[0]);
  const auto grows = loop.growth.find(slot);
  if (grows == loop.growth.end() || !grows->second.exceptions.empty()) return;
  const Linear step = grows->second.usual;
  if (terms.Low(step).value_or(0) < 1) return;
  each.counts = true;
  each.low = loop.before.at(slot);
  each.high = scalars.Value(is.args[1]);
  each.step = step;
  each.of = IterationsOf(terms, each.low, each.high, step);
  each.counter = terms.New("", false, terms.Low(each.low));
  terms.Define(each.counter, solver::Eq(scalars.Of(slot), each.counter));
  scalars.Set(slot, each.counter);
}

}  // namespace tilesim::checkers::grid
