#include "checkers/sizes/state/launch_shape.h"

#include <utility>

#include "checkers/sizes/state/symbolic_state.h"

namespace tilesim::checkers::sizes::state {
using algebra::Symbolic;

namespace {

// Before any thread runs: sizes, constants, and the kernel's lets of those.
class Launch {
 public:
  Launch(const machine::Code& code, Family family)
      : code_(code), symbolic_(code, std::move(family)) {
    const machine::State none;
    for (const machine::Instr& i : code.instrs) {  // lets come first
      if (i.kind != machine::Instr::Kind::kSet) break;
      symbolic_.Control(none, 0, i, nobody_);
    }
  }

  Symbolic Evaluate(const machine::CompiledExpr& expr) {
    return symbolic_.Evaluate(expr, 0, nobody_);
  }

  Symbolic Evaluate(const ir::Expr& text) {
    if (text.kind == ir::ExprKind::kInt) return Symbolic::Number(text.value);
    if (text.kind == ir::ExprKind::kName) return Named(text);
    if (text.kind != ir::ExprKind::kBinary) return Symbolic::Unknown();
    Symbolic a = Evaluate(text.args[0]), b = Evaluate(text.args[1]);
    return symbolic_.arithmetic().Compute(text.op, a, b);
  }

 private:
  Symbolic Named(const ir::Expr& text) {
    if (text.name_kind == ir::NameKind::kConst)
      return Symbolic::Number(code_.bound.slots[text.slot]->number);
    bool of_sizes = text.name_kind == ir::NameKind::kParam ||
                    text.name_kind == ir::NameKind::kLet;
    return of_sizes ? symbolic_.slots(0)[text.slot] : Symbolic::Unknown();
  }

  const machine::Code& code_;
  SymbolicState symbolic_;
  machine::Cta nowhere_;
  machine::Who nobody_{code_.bound, nowhere_, 0};
};

}  // namespace

std::array<Symbolic, 3> GridOf(const machine::Code& code, Family family) {
  std::vector<Rewrite> known = family.known;
  family.grid.fill(Symbolic::Unknown());
  Launch launch(code, std::move(family));
  std::array<Symbolic, 3> out;
  for (int d = 0; d < 3; ++d) {
    out[d] = launch.Evaluate(code.grid[d]);
    if (out[d].kind == Symbolic::Kind::kNumber)
      out[d].of = Rewritten(std::move(out[d].of), known);
  }
  return out;
}

std::map<int32_t, std::vector<Symbolic>> ShapesOf(const machine::Code& code,
                                                  Family family) {
  Launch launch(code, std::move(family));
  std::map<int32_t, std::vector<Symbolic>> out;
  for (const machine::CompiledOp& op : code.ops) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!NamesElement(code, op, i)) continue;
      int32_t decl = op.operands[i].fixed.tile.decl;
      auto [shape, fresh] = out.try_emplace(decl);
      if (!fresh) continue;
      for (const ir::Expr& extent : code.kernel().decls[decl].shape)
        shape->second.push_back(launch.Evaluate(extent));
    }
  }
  return out;
}

bool NamesElement(const machine::Code& code, const machine::CompiledOp& op,
                  size_t operand) {
  const machine::CompiledOperand& c = op.operands[operand];
  return op.op->info->operands[operand].element &&
         c.kind == ir::OperandValue::Kind::kTile &&
         code.bound.decls[c.fixed.tile.decl].space == ir::Space::kGlobal;
}

}  // namespace tilesim::checkers::sizes::state
