// Expressions at run time.
#include "ir/apply.h"
#include "ir/eval.h"
#include "sim/machine/code.h"
#include "sim/machine/state.h"

namespace tilesim::machine {
namespace {

constexpr int kMaxStack = 32;

std::optional<int64_t> ApplyUnary(ir::ExprOp op, int64_t a) {
  if (op == ir::ExprOp::kNot) return a == 0;
  if (op == ir::ExprOp::kBitNot) return ~a;
  return ir::Apply(ir::ExprOp::kSub, 0, a);
}

}  // namespace

std::optional<int64_t> EvaluateCode(const Code& code, const CompiledExpr& expr,
                                    const int64_t* slots, const Who& who) {
  using Kind = ExprInstr::Kind;
  int64_t stack[kMaxStack];
  int top = -1;
  for (int32_t pc = expr.begin; pc < expr.end; ++pc) {
    const ExprInstr& i = code.expr_code[pc];
    if (top >= kMaxStack - 1) return std::nullopt;
    std::optional<int64_t> result;
    switch (i.kind) {
      case Kind::kPush:
        stack[++top] = i.value;
        continue;
      case Kind::kSlot:
        if (slots[i.index] == Strand::kNoValue) return std::nullopt;
        stack[++top] = slots[i.index];
        continue;
      case Kind::kBuiltin:
        stack[++top] = who[static_cast<ir::Builtin>(i.index)];
        continue;
      case Kind::kBool:
        stack[top] = stack[top] != 0;
        continue;
      case Kind::kJump:
        pc += i.index - 1;
        continue;
      case Kind::kJumpIfZero:
        if (stack[top--] == 0) pc += i.index - 1;
        continue;
      case Kind::kUnary:
        result = ApplyUnary(i.op, stack[top]);
        break;
      case Kind::kBinary:
        --top;
        result = ir::Apply(i.op, stack[top], stack[top + 1]);
        break;
      case Kind::kBinaryWith:
        result = ir::Apply(i.op, stack[top], i.value);
        break;
      case Kind::kCall:
        --top;
        result = ir::Functions()[i.index].apply(stack[top], stack[top + 1]);
        break;
    }
    if (!result) return std::nullopt;
    stack[top] = *result;
  }
  return stack[0];
}

}  // namespace tilesim::machine
