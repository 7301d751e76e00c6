#include "ir/eval.h"

#include <algorithm>
#include <cmath>

#include "ir/apply.h"
#include "ir/cat.h"

namespace tilesim::ir {
namespace {

std::optional<int64_t> Min(int64_t a, int64_t b) { return std::min(a, b); }
std::optional<int64_t> Max(int64_t a, int64_t b) { return std::max(a, b); }
std::optional<int64_t> CeilDiv(int64_t a, int64_t b) {
  std::optional<int64_t> q = Apply(ExprOp::kDiv, a, b);
  if (!q) return q;
  bool up = a % b != 0 && ((a < 0) == (b < 0));
  return *q + (up ? 1 : 0);
}

constexpr Function kFunctions[] = {
    {"min", 2, Min, "the smaller"},
    {"max", 2, Max, "the larger"},
    {"cdiv", 2, CeilDiv, "quotient, rounded up"},
};

// Constants such as a softmax scale.
std::optional<Value> ApplyReal(ExprOp op, double a, double b) {
  switch (op) {
    case ExprOp::kAdd:
      return Value::Float(a + b);
    case ExprOp::kSub:
      return Value::Float(a - b);
    case ExprOp::kMul:
      return Value::Float(a * b);
    case ExprOp::kDiv:
      return Value::Float(a / b);
    default:
      return std::nullopt;
  }
}

class Evaluator {
 public:
  Evaluator(const EvalEnv& env, EvalError* error) : env_(env), error_(error) {}

  std::optional<Value> Eval(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kInt:
        return Value::Int(e.value);
      case ExprKind::kFloat:
        return Value::Float(e.number);
      case ExprKind::kName:
        return Name(e);
      case ExprKind::kUnary:
        return Unary(e);
      case ExprKind::kBinary:
        return Binary(e);
      case ExprKind::kSelect: {
        std::optional<Value> c = Eval(e.args[0]);
        if (!c) return c;
        return Eval(e.args[c->number != 0 ? 1 : 2]);
      }
      case ExprKind::kCall:
        return Call(e);
    }
    return std::nullopt;
  }

 private:
  std::optional<Value> Fail(const Expr& e, Code code, std::string message) {
    if (error_ != nullptr && error_->code.empty())
      *error_ = {code, std::move(message), e.span};
    return std::nullopt;
  }

  std::optional<Value> NotConstant(const Expr& e) {
    if (error_ == nullptr) return std::nullopt;  // nobody reads the text
    return Fail(e, "type/not-constant",
                Cat("`", ToString(e), "` is not known before the run"));
  }

  std::optional<Value> Name(const Expr& e) {
    if (e.name_kind == NameKind::kBuiltin) {
      size_t i = static_cast<size_t>(e.slot);
      if (i >= env_.builtins.size() || !env_.builtins[i]) return NotConstant(e);
      return Value::Int(*env_.builtins[i]);
    }
    size_t i = static_cast<size_t>(e.slot);
    if (e.slot < 0 || i >= env_.slots.size() || !env_.slots[i])
      return NotConstant(e);
    return *env_.slots[i];
  }

  std::optional<Value> Unary(const Expr& e) {
    std::optional<Value> a = Eval(e.args[0]);
    if (!a) return a;
    if (a->is_float) {
      if (e.op == ExprOp::kNeg) return Value::Float(-a->real);
      return Fail(e, "type/float", "a float has no such operator");
    }
    if (e.op == ExprOp::kNot) return Value::Int(a->number == 0);
    if (e.op == ExprOp::kBitNot) return Value::Int(~a->number);
    return Checked(e, Apply(ExprOp::kSub, 0, a->number));
  }

  std::optional<Value> Binary(const Expr& e) {
    std::optional<Value> a = Eval(e.args[0]);
    if (!a) return a;
    if (e.op == ExprOp::kAnd && a->number == 0) return Value::Int(0);
    if (e.op == ExprOp::kOr && a->number != 0) return Value::Int(1);
    std::optional<Value> b = Eval(e.args[1]);
    if (!b) return b;
    if (a->is_float || b->is_float) {
      std::optional<Value> r = ApplyReal(e.op, a->real, b->real);
      return r ? r : Fail(e, "type/float", "a float has no such operator");
    }
    return Checked(e, Apply(e.op, a->number, b->number));
  }

  std::optional<Value> Checked(const Expr& e, std::optional<int64_t> v) {
    if (v) return Value::Int(*v);
    bool division = e.op == ExprOp::kDiv || e.op == ExprOp::kRem;
    return Fail(e, division ? Code("type/division") : "type/overflow",
                Cat("`", ToString(e), "` ",
                    division ? "divides by zero" : "does not fit in 64 bits"));
  }

  std::optional<Value> Call(const Expr& e) {
    if (e.name == "bytes") {
      std::optional<int64_t> n =
          env_.bytes_of ? env_.bytes_of(e.args[0].name) : std::nullopt;
      return n ? Value::Int(*n) : NotConstant(e);
    }
    for (const Function& f : kFunctions) {
      if (f.name != e.name) continue;
      std::optional<Value> a = Eval(e.args[0]), b = Eval(e.args[1]);
      if (!a || !b) return std::nullopt;
      return Checked(e, f.apply(a->number, b->number));
    }
    return NotConstant(e);
  }

  const EvalEnv& env_;
  EvalError* error_;
};

}  // namespace

std::span<const Function> Functions() { return kFunctions; }

std::optional<Value> Evaluate(const Expr& expr, const EvalEnv& env,
                              EvalError* error) {
  return Evaluator(env, error).Eval(expr);
}

}  // namespace tilesim::ir
