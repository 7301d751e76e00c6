#include "checkers/grid/counted_while.h"

#include "checkers/grid/text.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {

void CountUp(const WhileLoop& loop, Terms& terms, Scalars& scalars,
             Access::Iteration& each) {
  // t < end, end > t, and up to the end: t <= end, end >= t.
  const ir::Expr& is = loop.condition;
  if (is.kind != ir::ExprKind::kBinary) return;
  const bool turned = is.op == ir::ExprOp::kGt || is.op == ir::ExprOp::kGe;
  const bool with_end = is.op == ir::ExprOp::kLe || is.op == ir::ExprOp::kGe;
  if (!turned && !with_end && is.op != ir::ExprOp::kLt) return;
  const ir::Expr& end = is.args[turned ? 0 : 1];
  if (Mentions(end, loop.set)) return;
  const int32_t slot = ir::SlotOf(is.args[turned ? 1 : 0]);
  const auto grows = loop.growth.find(slot);
  if (grows == loop.growth.end() || !grows->second.exceptions.empty()) return;
  const Linear step = grows->second.usual;
  if (terms.Low(step).value_or(0) < 1) return;
  each.counts = true;
  each.low = loop.before.at(slot);
  each.high = scalars.Value(end);
  if (with_end) each.high = terms.Usable(each.high + 1);
  each.step = step;
  each.of = IterationsOf(terms, each.low, each.high, step);
  each.counter = terms.New("", false, terms.Low(each.low));
  terms.Define(each.counter, solver::Eq(scalars.Of(slot), each.counter));
  scalars.Set(slot, each.counter);
}

}  // namespace tilesim::checkers::grid
