#include "checkers/sizes/state/launch.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ir/eval.h"

namespace tilesim::checkers::sizes::state {
using algebra::Symbolic;

Launch::Launch(const machine::Code& code, Family family)
    : code_(code), symbolic_(code, std::move(family)) {
  const machine::State none;
  for (const machine::Instr& i : code.instrs) {  // lets come first
    if (i.kind != machine::Instr::Kind::kSet) break;
    symbolic_.Control(none, 0, i, nobody_);
  }
}

Symbolic Launch::Evaluate(const ir::Expr& text) {
  if (text.kind == ir::ExprKind::kInt) return Symbolic::Number(text.value);
  if (text.kind == ir::ExprKind::kName) return Named(text);
  if (text.kind == ir::ExprKind::kSelect) return Selected(text);
  if (text.kind == ir::ExprKind::kCall) return Called(text);
  if (text.kind != ir::ExprKind::kBinary) return Symbolic::Unknown();
  Symbolic a = Evaluate(text.args[0]), b = Evaluate(text.args[1]);
  return symbolic_.arithmetic().Compute(text.op, a, b);
}

TensorShape Launch::ShapeOf(const ir::Decl& tensor) {
  TensorShape out;
  for (const ir::Expr& extent : tensor.shape)
    out.extents.push_back(Evaluate(extent));
  for (const ir::Expr& stride : tensor.strides)
    out.strides.push_back(Evaluate(stride));
  if (!tensor.strides.empty()) return out;
  // Row by row.
  out.strides.assign(out.extents.size(), Symbolic::Number(1));
  for (size_t d = out.extents.size(); d-- > 1;)
    out.strides[d - 1] = symbolic_.arithmetic().Compute(
        ir::ExprOp::kMul, out.strides[d], out.extents[d]);
  return out;
}

Symbolic Launch::Selected(const ir::Expr& text) {
  Symbolic condition = symbolic_.arithmetic().Truth(Evaluate(text.args[0]));
  if (condition.unknown()) return Symbolic::Unknown();
  return Evaluate(text.args[*condition.known() != 0 ? 1 : 2]);
}

Symbolic Launch::Called(const ir::Expr& text) {
  std::span<const ir::Function> all = ir::Functions();
  auto f = std::find_if(all.begin(), all.end(), [&](const ir::Function& g) {
    return g.name == text.name;
  });
  if (f == all.end() || text.args.size() != 2) return Symbolic::Unknown();
  return symbolic_.arithmetic().Call(static_cast<int32_t>(f - all.begin()),
                                     Evaluate(text.args[0]),
                                     Evaluate(text.args[1]));
}

Symbolic Launch::Named(const ir::Expr& text) {
  if (text.name_kind == ir::NameKind::kConst)
    return Symbolic::Number(code_.bound.slots[text.slot]->number);
  bool of_sizes = text.name_kind == ir::NameKind::kParam ||
                  text.name_kind == ir::NameKind::kLet;
  return of_sizes ? symbolic_.slots(0)[text.slot] : Symbolic::Unknown();
}

}  // namespace tilesim::checkers::sizes::state
