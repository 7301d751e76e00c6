#include "hwtests/emit/exact_uses.h"

#include <limits>

#include "ir/op.h"
#include "ir/values/dtype.h"

namespace tilesim::hwtests {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

class Uses {
 public:
  explicit Uses(const ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Constant& c : kernel.constants) Exact(c.value);
    for (const Expr& e : kernel.grid) Exact(e);
    Visit(kernel.body);
  }

  std::set<int32_t> Take() { return std::move(exact_); }

 private:
  void Visit(const ir::Block& block) {
    for (const Stmt& s : block) {
      const bool asks =
          s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kWhile;
      asks ? Truth(s.value) : Exact(s.value);
      Exact(s.low);
      Exact(s.high);
      if (s.step) Exact(*s.step);
      for (const ir::Scope& scope : s.scopes) {
        Exact(scope.low);
        Exact(scope.high);
      }
      if (s.op) Op(*s.op);
      Visit(s.body);
      Visit(s.orelse);
    }
  }

  static bool IsScalar(const Expr& e) {
    return e.kind == ExprKind::kName && e.slot >= 0 &&
           e.name_kind != ir::NameKind::kBuiltin;
  }

  void Exact(const Expr& e) {
    if (IsScalar(e)) exact_.insert(e.slot);
    for (const Expr& arg : e.args) Exact(arg);
  }

  static bool IsSmall(const Expr& e) {
    return e.kind == ExprKind::kInt && e.value >= 0 &&
           e.value <= std::numeric_limits<int32_t>::max();
  }

  void Truth(const Expr& e) {
    if (IsScalar(e)) return;
    switch (e.op) {
      case ExprOp::kAnd:
      case ExprOp::kOr:
      case ExprOp::kNot:
        for (const Expr& arg : e.args) Truth(arg);
        return;
      case ExprOp::kEq:
      case ExprOp::kNe:
        if (IsScalar(e.args[0]) && IsSmall(e.args[1])) return;
        if (IsScalar(e.args[1]) && IsSmall(e.args[0])) return;
        return Exact(e);
      default:
        return Exact(e);
    }
  }

  void Op(const ir::Op& op) {
    const bool to_word = ToWord(op);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Operand& o = op.operands[i];
      const bool set = (op.info->operands[i].types & ir::kTakesVar) != 0;
      if (!set && !(to_word && IsScalar(o.expr))) Exact(o.expr);
      for (const auto& group : o.ref.groups) {
        for (const ir::Subscript& s : group) {
          Exact(s.start);
          Exact(s.extent);
        }
      }
      for (const Expr& cta : o.ref.cta) Exact(cta);
    }
  }

  // Its numbers go to memory of 32 bits at most, and nowhere else.
  bool ToWord(const ir::Op& op) const {
    bool word = false;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const ir::Operand& o = op.operands[i];
      if (o.kind != ir::Operand::Kind::kRef) continue;
      const ir::Decl& d = kernel_.decls[o.ref.decl];
      if (!op.info->operands[i].element || values::BitsOf(d.dtype) > 32 ||
          d.space == ir::Space::kMbarrier)
        return false;
      word = true;
    }
    return word;
  }

  const ir::Kernel& kernel_;
  std::set<int32_t> exact_;
};

}  // namespace

std::set<int32_t> ExactUses(const ir::Kernel& kernel) {
  return Uses(kernel).Take();
}

}  // namespace tilesim::hwtests
