#include "ir/stored.h"

#include "ir/concrete.h"
#include "ir/effect.h"
#include "ir/walk.h"

namespace tilesim::ir {
namespace {

// An op whose effects are asked for by operand: which elements they touch does
// not matter here.
ConcreteOp Anywhere(const Kernel& kernel, const Op& op) {
  ConcreteOp out;
  out.op = &op;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Operand& operand = op.operands[i];
    OperandValue& value = out.operands[i];
    if (operand.kind == Operand::Kind::kNone) continue;
    value.kind = OperandValue::Kind::kInt;
    if (operand.kind != Operand::Kind::kRef) continue;
    const Decl& decl = kernel.decls[operand.ref.decl];
    const auto number = static_cast<int16_t>(operand.ref.decl);
    if (decl.space == Space::kMbarrier) {
      value.kind = OperandValue::Kind::kBarrier;
      value.barrier.decl = number;
      continue;
    }
    value.kind = OperandValue::Kind::kTile;
    value.tile.space = decl.space;
    value.tile.dtype = decl.dtype;
    value.tile.decl = number;
    value.tile.rank = static_cast<int8_t>(decl.shape.size());
    value.tile.extent.fill(1);
  }
  return out;
}

}  // namespace

std::set<std::string> StoredTensors(const Kernel& kernel) {
  std::set<std::string> out;
  EffectSink sink;
  ForEachStmt(kernel.body, [&](const Stmt& s) {
    if (s.kind != Stmt::Kind::kOp) return;
    const ConcreteOp op = Anywhere(kernel, *s.op);
    sink.Clear();
    EffectsOf(op, sink);
    for (const Effect& e : sink.effects()) {
      if (e.kind == EffectKind::kWrite && op.is_tile(e.operand) &&
          op.tile(e.operand).space == Space::kGlobal)
        out.insert(kernel.decls[op.tile(e.operand).decl].name);
    }
  });
  return out;
}

}  // namespace tilesim::ir
