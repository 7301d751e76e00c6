#include "checkers/grid/touches.h"

#include <algorithm>

#include "ir/effect.h"
#include "ir/warp.h"

namespace tilesim::checkers::grid {
std::vector<Touch> TouchesOf(const machine::Code& code,
                             const machine::CompiledOp& op) {
  ir::EffectSink sink;
  ir::EffectsOf(machine::FixedOperands(op), sink);
  std::vector<Touch> out;
  for (const ir::Effect& e : sink.effects()) {
    if (!e.Is(ir::kAccesses) ||
        op.op->operands[e.operand].kind != ir::Operand::Kind::kRef)
      continue;
    const int32_t decl = op.op->operands[e.operand].ref.decl;
    if (code.kernel().decls[decl].space != ir::Space::kGlobal) continue;
    const bool write = e.kind == ir::EffectKind::kWrite;
    bool known = std::any_of(out.begin(), out.end(), [&](const Touch& t) {
      return t.operand == e.operand && t.write == write;
    });
    if (known) continue;
    out.push_back(
        {e.operand, decl, write, ir::AtomicInGrid(sink.effects(), e.operand)});
  }
  return out;
}

bool AddsTo(const std::vector<Touch>& of_op, const Touch& touch) {
  return touch.write &&
         std::any_of(of_op.begin(), of_op.end(), [&](const Touch& other) {
           return !other.write && other.operand == touch.operand;
         });
}

Together PartsOf(const machine::Code& code, const ir::Op& op) {
  for (const ir::Operand& o : op.operands) {
    if (o.kind != ir::Operand::Kind::kRef) continue;
    const ir::Decl& decl = code.kernel().decls[o.ref.decl];
    if (decl.space != ir::Space::kReg) continue;
    switch (decl.fragment) {
      case ir::Fragment::kBlocked:
        return Together::kAllWarps;
      case ir::Fragment::kWgmma:
        return Together::kWarpsOfGroup;
      case ir::Fragment::kRow: {
        const int64_t rows = code.bound.decls[o.ref.decl].shape[0];
        return rows == ir::kWarpThreads ? Together::kNoOthers
                                        : Together::kWarpsOfGroup;
      }
      default:
        return Together::kNoOthers;
    }
  }
  return Together::kNoOthers;
}

}  // namespace tilesim::checkers::grid
