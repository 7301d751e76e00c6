#include "frontend/walk.h"

#include <optional>
#include <vector>

namespace tilesim::frontend {
namespace {

void Names(const std::vector<ir::Expr>& exprs, const NameFn& fn) {
  for (const ir::Expr& e : exprs) ForEachName(e, fn);
}

void Names(const std::optional<ir::Expr>& e, const NameFn& fn) {
  if (e) ForEachName(*e, fn);
}

void Names(const ir::TensorExpr& e, const NameFn& fn) {
  if (e.kind == ir::TensorExpr::Kind::kTensor) fn(e.name);
  if (e.kind == ir::TensorExpr::Kind::kNumber) ForEachName(e.number, fn);
  for (const ir::TensorExpr& arg : e.args) Names(arg, fn);
}

void Names(const ir::Ref& ref, const NameFn& fn) {
  fn(ref.name);
  for (const auto& group : ref.groups) {
    for (const ir::Subscript& s : group) {
      ForEachName(s.start, fn);
      ForEachName(s.extent, fn);
    }
  }
  Names(ref.cta, fn);
}

void Names(const ir::Op& op, const NameFn& fn) {
  for (const ir::Operand& o : op.operands) {
    if (o.kind == ir::Operand::Kind::kExpr) ForEachName(o.expr, fn);
    if (o.kind == ir::Operand::Kind::kRef) Names(o.ref, fn);
  }
}

void Names(const ir::Stmt& s, const NameFn& fn) {
  if (s.kind == ir::Stmt::Kind::kAssign) fn(s.name);
  ForEachName(s.value, fn);
  ForEachName(s.low, fn);
  ForEachName(s.high, fn);
  Names(s.step, fn);
  for (const ir::Scope& scope : s.scopes) {
    ForEachName(scope.low, fn);
    ForEachName(scope.high, fn);
  }
  if (s.decl) ForEachName(*s.decl, fn);
  if (s.op) Names(*s.op, fn);
}

}  // namespace

void ForEachName(const ir::Expr& expr, const NameFn& fn) {
  if (expr.kind == ir::ExprKind::kName) fn(expr.name);
  for (const ir::Expr& arg : expr.args) ForEachName(arg, fn);
}

void ForEachName(const ir::Param& param, const NameFn& fn) {
  ForEachName(param.text.low, fn);
  Names(param.text.high, fn);
  Names(param.text.step, fn);
  ForEachName(param.text.value, fn);
}

void ForEachName(const ir::Constant& constant, const NameFn& fn) {
  ForEachName(constant.value, fn);
}

void ForEachName(const ir::Decl& decl, const NameFn& fn) {
  Names(decl.array, fn);
  Names(decl.shape, fn);
  Names(decl.strides, fn);
  ForEachName(decl.fragment_arg, fn);
  Names(decl.align, fn);
  Names(decl.columns, fn);
  Names(decl.domain_low, fn);
  Names(decl.domain_high, fn);
  if (!decl.slot.empty()) fn(decl.slot);
  if (!decl.at) return;
  fn(decl.at->base);
  Names(decl.at->index, fn);
  ForEachName(decl.at->offset, fn);
}

void ForEachName(const ir::Kernel& kernel, const NameFn& fn) {
  for (const ir::Param& p : kernel.params) ForEachName(p, fn);
  for (const ir::Constant& c : kernel.constants) ForEachName(c, fn);
  for (const ir::Requirement& r : kernel.requirements)
    ForEachName(r.condition, fn);
  for (const ir::Decl& d : kernel.decls) ForEachName(d, fn);
  for (const ir::Computes& c : kernel.computes) {
    fn(c.target);
    Names(c.value, fn);
    Names(c.tolerance, fn);
    Names(c.when, fn);
  }
  Names(kernel.grid, fn);
  Names(kernel.cluster, fn);
  ForEachName(kernel.block, fn);
  Names(kernel.regs, fn);
  ForEachStmt(kernel.body, [&](const ir::Stmt& s) { Names(s, fn); });
}

void ForEachStmt(ir::Block& block, const std::function<void(ir::Stmt&)>& fn) {
  for (ir::Stmt& s : block) {
    fn(s);
    ForEachStmt(s.body, fn);
    ForEachStmt(s.orelse, fn);
  }
}

void ForEachStmt(const ir::Block& block,
                 const std::function<void(const ir::Stmt&)>& fn) {
  for (const ir::Stmt& s : block) {
    fn(s);
    ForEachStmt(s.body, fn);
    ForEachStmt(s.orelse, fn);
  }
}

}  // namespace tilesim::frontend
