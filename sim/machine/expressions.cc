#include "sim/machine/expressions.h"

#include <algorithm>

namespace tilesim::machine {
namespace {

using ir::Expr;
using ir::ExprKind;

class Generator {
 public:
  Generator(const ir::EvalEnv& known, std::vector<ExprInstr>& code)
      : known_(known), code_(code) {}

  void Expression(const Expr& e) {
    std::optional<ir::Value> known = ir::Evaluate(e, known_, nullptr);
    if (known) {
      Push(ExprInstr::Kind::kPush).value = known->number;
      return;
    }
    switch (e.kind) {
      case ExprKind::kName:
        return Name(e);
      case ExprKind::kUnary:
        Expression(e.args[0]);
        Push(ExprInstr::Kind::kUnary).op = e.op;
        return;
      case ExprKind::kBinary:
        return Binary(e);
      case ExprKind::kSelect:
        return Select(e);
      case ExprKind::kCall:
        return Call(e);
      case ExprKind::kInt:
      case ExprKind::kFloat:
        Push(ExprInstr::Kind::kPush).value = e.value;
    }
  }

 private:
  ExprInstr& Push(ExprInstr::Kind kind, int32_t index = 0) {
    ExprInstr& i = code_.emplace_back();
    i.kind = kind;
    i.index = index;
    return i;
  }

  void Name(const Expr& e) {
    if (e.name_kind != ir::NameKind::kBuiltin) {
      Push(ExprInstr::Kind::kSlot, e.slot);
      return;
    }
    Push(ExprInstr::Kind::kBuiltin, e.slot);
  }

  void Binary(const Expr& e) {
    bool is_and = e.op == ir::ExprOp::kAnd, is_or = e.op == ir::ExprOp::kOr;
    Expression(e.args[0]);
    if (!is_and && !is_or) {
      std::optional<ir::Value> right = ir::Evaluate(e.args[1], known_, nullptr);
      if (right) {
        ExprInstr& with = Push(ExprInstr::Kind::kBinaryWith);
        with.op = e.op;
        with.value = right->number;
        return;
      }
      Expression(e.args[1]);
      Push(ExprInstr::Kind::kBinary).op = e.op;
      return;
    }
    // a && b:  a jz(L) b bool j(E) L: push 0 E:      a || b likewise
    if (is_or) Push(ExprInstr::Kind::kUnary).op = ir::ExprOp::kNot;
    int32_t skip = Jump(ExprInstr::Kind::kJumpIfZero);
    Expression(e.args[1]);
    Push(ExprInstr::Kind::kBool);
    int32_t end = Jump(ExprInstr::Kind::kJump);
    Land(skip);
    Push(ExprInstr::Kind::kPush).value = is_or;
    Land(end);
  }

  void Select(const Expr& e) {
    Expression(e.args[0]);
    int32_t other = Jump(ExprInstr::Kind::kJumpIfZero);
    Expression(e.args[1]);
    int32_t end = Jump(ExprInstr::Kind::kJump);
    Land(other);
    Expression(e.args[2]);
    Land(end);
  }

  void Call(const Expr& e) {
    auto functions = ir::Functions();
    for (size_t i = 0; i < functions.size(); ++i) {
      if (functions[i].name != e.name) continue;
      for (const Expr& arg : e.args) Expression(arg);
      Push(ExprInstr::Kind::kCall, static_cast<int32_t>(i));
      return;
    }
  }

  int32_t Jump(ExprInstr::Kind kind) {
    Push(kind);
    return static_cast<int32_t>(code_.size()) - 1;
  }

  void Land(int32_t jump) {
    code_[jump].index = static_cast<int32_t>(code_.size()) - jump;
  }

  const ir::EvalEnv& known_;
  std::vector<ExprInstr>& code_;
};

}  // namespace

void Generate(const ir::Expr& e, const ir::EvalEnv& known,
              std::vector<ExprInstr>& code) {
  Generator(known, code).Expression(e);
}

Varies VariesInText(const ir::Expr& e) {
  Varies out = Varies::kUniform;
  if (e.kind == ExprKind::kName && e.name_kind == ir::NameKind::kBuiltin) {
    const auto builtin = static_cast<ir::Builtin>(e.slot);
    if (builtin == ir::Builtin::kWarp) out = Varies::kWarp;
    if (builtin == ir::Builtin::kWarpgroup) out = Varies::kWarpgroup;
  }
  for (const Expr& arg : e.args) out = std::max(out, VariesInText(arg));
  return out;
}

}  // namespace tilesim::machine
