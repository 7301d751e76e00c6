#include "checkers/sizes/partition/expressions.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::Stmt;

Expr Unary(ir::ExprOp op, Expr of) {
  Expr out;
  out.kind = ir::ExprKind::kUnary;
  out.op = op;
  out.span = of.span;
  out.args = {std::move(of)};
  return out;
}

Expr Binary(ir::ExprOp op, Expr a, Expr b) {
  Expr out;
  out.kind = ir::ExprKind::kBinary;
  out.op = op;
  out.span = a.span;
  out.args = {std::move(a), std::move(b)};
  return out;
}

Expr Binary(ir::ExprOp op, Expr a, int64_t b) {
  const ir::Span span = a.span;
  return Binary(op, std::move(a), Expr::Int(b, span));
}

Expr NameOf(ir::NameKind kind, const std::string& name, int32_t slot,
            ir::Span span) {
  Expr out;
  out.kind = ir::ExprKind::kName;
  out.name_kind = kind;
  out.name = name;
  out.slot = slot;
  out.span = span;
  return out;
}

bool Continues(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::kContinue) return true;
    bool loop = s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    return !loop && (Continues(s.body) || Continues(s.orelse));
  });
}

}  // namespace tilesim::checkers::sizes::partition
