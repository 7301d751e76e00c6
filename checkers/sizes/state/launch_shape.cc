#include "checkers/sizes/state/launch_shape.h"

#include <utility>

#include "checkers/sizes/state/launch.h"

namespace tilesim::checkers::sizes::state {
using algebra::Symbolic;

std::array<Symbolic, 3> GridOf(const machine::Code& code, Family family) {
  // What is asked for must not be known to the one who answers.
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

std::map<int32_t, TensorShape> ShapesOf(const machine::Code& code,
                                        Family family) {
  Launch launch(code, std::move(family));
  std::map<int32_t, TensorShape> out;
  for (const machine::CompiledOp& op : code.ops) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (MustBeThere(code, op, i) == ir::There::kNothing) continue;
      int32_t decl = op.operands[i].fixed.tile.decl;
      auto [shape, fresh] = out.try_emplace(decl);
      // One shape a tensor: its declaration does not depend on the op.
      if (fresh) shape->second = launch.ShapeOf(code.kernel().decls[decl]);
    }
  }
  return out;
}

ir::There MustBeThere(const machine::Code& code, const machine::CompiledOp& op,
                      size_t operand) {
  const machine::CompiledOperand& c = op.operands[operand];
  bool global = c.kind == ir::OperandValue::Kind::kTile &&
                code.bound.decls[c.fixed.tile.decl].space == ir::Space::kGlobal;
  return global ? ir::MustBeThere(*op.op, operand) : ir::There::kNothing;
}

}  // namespace tilesim::checkers::sizes::state
