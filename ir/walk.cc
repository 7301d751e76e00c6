#include "ir/walk.h"

#include <optional>
#include <vector>

namespace tilesim::ir {
namespace {

void Names(const std::vector<Expr>& exprs, const NameFn& fn) {
  for (const Expr& e : exprs) ForEachName(e, fn);
}

void Names(const std::optional<Expr>& e, const NameFn& fn) {
  if (e) ForEachName(*e, fn);
}

void Names(const TensorExpr& e, const NameFn& fn) {
  if (e.kind == TensorExpr::Kind::kTensor) fn(e.name);
  if (e.kind == TensorExpr::Kind::kNumber) ForEachName(e.number, fn);
  for (const TensorExpr& arg : e.args) Names(arg, fn);
}

void Names(const Ref& ref, const NameFn& fn) {
  fn(ref.name);
  for (const auto& group : ref.groups) {
    for (const Subscript& s : group) {
      ForEachName(s.start, fn);
      ForEachName(s.extent, fn);
    }
  }
  Names(ref.cta, fn);
}

void Names(const std::vector<Operand>& operands, const NameFn& fn) {
  for (const Operand& o : operands) {
    if (o.kind == Operand::Kind::kExpr) ForEachName(o.expr, fn);
    if (o.kind == Operand::Kind::kRef) Names(o.ref, fn);
  }
}

void Exprs(std::vector<Expr>& exprs, const ExprFn& fn) {
  for (Expr& e : exprs) fn(e);
}

void Exprs(std::optional<Expr>& e, const ExprFn& fn) {
  if (e) fn(*e);
}

void Exprs(Decl& d, const ExprFn& fn) {
  for (auto* list : {&d.array, &d.shape, &d.strides}) Exprs(*list, fn);
  for (auto* e : {&d.align, &d.columns, &d.domain_low, &d.domain_high})
    Exprs(*e, fn);
  fn(d.fragment_arg);
  if (!d.at) return;
  Exprs(d.at->index, fn);
  fn(d.at->offset);
}

void Exprs(TensorExpr& e, const ExprFn& fn) {
  fn(e.number);
  for (TensorExpr& arg : e.args) Exprs(arg, fn);
}

}  // namespace

void ForEachName(const Stmt& s, const NameFn& fn) {
  if (s.kind == Stmt::Kind::kAssign) fn(s.name);
  ForEachName(s.value, fn);
  ForEachName(s.low, fn);
  ForEachName(s.high, fn);
  Names(s.step, fn);
  for (const Scope& scope : s.scopes) {
    ForEachName(scope.low, fn);
    ForEachName(scope.high, fn);
  }
  if (s.decl) ForEachName(*s.decl, fn);
  if (s.op) Names(s.op->operands, fn);
  if (!s.call) return;
  Names(s.call->args, fn);
  if (s.call->how != Call::Results::kAssign) return;
  for (const std::string& name : s.call->names) fn(name);
}

void ForEachExpr(Operand& o, const ExprFn& fn) {
  if (o.kind == Operand::Kind::kExpr) fn(o.expr);
  if (o.kind != Operand::Kind::kRef) return;
  for (auto& group : o.ref.groups) {
    for (Subscript& s : group) {
      fn(s.start);
      fn(s.extent);
    }
  }
  Exprs(o.ref.cta, fn);
}

void ForEachExpr(Stmt& s, const ExprFn& fn) {
  for (Expr* e : {&s.value, &s.low, &s.high}) fn(*e);
  Exprs(s.step, fn);
  for (Scope& scope : s.scopes) {
    fn(scope.low);
    fn(scope.high);
  }
  if (s.decl) Exprs(*s.decl, fn);
  if (s.op) {
    for (Operand& o : s.op->operands) ForEachExpr(o, fn);
  }
  if (!s.call) return;
  for (Operand& o : s.call->args) ForEachExpr(o, fn);
}

void ForEachExpr(Kernel& kernel, const ExprFn& fn) {
  for (Param& p : kernel.params) {
    fn(p.text.low);
    Exprs(p.text.high, fn);
    Exprs(p.text.step, fn);
    fn(p.text.value);
  }
  for (Constant& c : kernel.constants) fn(c.value);
  for (Requirement& r : kernel.requirements) fn(r.condition);
  for (Decl& d : kernel.decls) Exprs(d, fn);
  for (Computes& c : kernel.computes) {
    Exprs(c.value, fn);
    Exprs(c.tolerance, fn);
    Exprs(c.when, fn);
  }
  Exprs(kernel.grid, fn);
  Exprs(kernel.cluster, fn);
  fn(kernel.block);
  Exprs(kernel.regs, fn);
}

void ForEachDeclared(const Stmt& stmt, const NameFn& fn) {
  using Kind = Stmt::Kind;
  bool scalar = stmt.kind == Kind::kLet || stmt.kind == Kind::kVar ||
                stmt.kind == Kind::kFor;
  if (scalar) fn(stmt.name);
  if (stmt.decl) fn(stmt.decl->name);
  bool called = stmt.call && stmt.call->how != Call::Results::kAssign;
  for (const std::string& name :
       called ? stmt.call->names : std::vector<std::string>()) {
    fn(name);
  }
  for (const Stmt& inner : stmt.body) ForEachDeclared(inner, fn);
  for (const Stmt& inner : stmt.orelse) ForEachDeclared(inner, fn);
}

void ForEachName(const Expr& expr, const NameFn& fn) {
  if (expr.kind == ExprKind::kName) fn(expr.name);
  for (const Expr& arg : expr.args) ForEachName(arg, fn);
}

void ForEachName(const Param& param, const NameFn& fn) {
  ForEachName(param.text.low, fn);
  Names(param.text.high, fn);
  Names(param.text.step, fn);
  ForEachName(param.text.value, fn);
}

void ForEachName(const Constant& constant, const NameFn& fn) {
  ForEachName(constant.value, fn);
}

void ForEachName(const Decl& decl, const NameFn& fn) {
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

void ForEachName(const Kernel& kernel, const NameFn& fn) {
  for (const Param& p : kernel.params) ForEachName(p, fn);
  for (const Constant& c : kernel.constants) ForEachName(c, fn);
  for (const Requirement& r : kernel.requirements) ForEachName(r.condition, fn);
  for (const Decl& d : kernel.decls) ForEachName(d, fn);
  for (const Computes& c : kernel.computes) {
    fn(c.target);
    Names(c.value, fn);
    Names(c.tolerance, fn);
    Names(c.when, fn);
  }
  Names(kernel.grid, fn);
  Names(kernel.cluster, fn);
  ForEachName(kernel.block, fn);
  Names(kernel.regs, fn);
  ForEachStmt(kernel.body, [&](const Stmt& s) { ForEachName(s, fn); });
}

void ForEachStmt(Block& block, const std::function<void(Stmt&)>& fn) {
  for (Stmt& s : block) {
    fn(s);
    ForEachStmt(s.body, fn);
    ForEachStmt(s.orelse, fn);
  }
}

void ForEachStmt(const Block& block,
                 const std::function<void(const Stmt&)>& fn) {
  for (const Stmt& s : block) {
    fn(s);
    ForEachStmt(s.body, fn);
    ForEachStmt(s.orelse, fn);
  }
}

bool UsesSetmaxnreg(const Block& block) {
  bool uses = false;
  ForEachStmt(block, [&](const Stmt& s) {
    uses |= s.op && (s.op->info->kind == OpKind::kSetmaxnregInc ||
                     s.op->info->kind == OpKind::kSetmaxnregDec);
  });
  return uses;
}

bool Contains(const Block& block, const std::function<bool(const Stmt&)>& is) {
  bool found = false;
  ForEachStmt(block, [&](const Stmt& s) { found |= is(s); });
  return found;
}

}  // namespace tilesim::ir
