#include "ir/expr.h"

#include "fmt/format.h"
#include "ir/cat.h"

namespace tilesim::ir {
namespace {

constexpr int kSelectPrecedence = 1;

const OpSpelling* Spelling(ExprOp op) {
  for (const OpSpelling& s : kBinaryOps) {
    if (s.op == op) return &s;
  }
  return nullptr;
}

std::string Print(const Expr& e, int outer);

// Few know by heart how & | ^ << >> bind: what they combine is shown.
bool IsBitwise(ExprOp op) {
  return op == ExprOp::kBitAnd || op == ExprOp::kBitOr ||
         op == ExprOp::kBitXor || op == ExprOp::kShl || op == ExprOp::kShr;
}

std::string PrintOperand(const Expr& parent, const Expr& e, int outer) {
  bool shown =
      e.kind == ExprKind::kBinary && e.op != parent.op && IsBitwise(parent.op);
  return Print(e, shown ? kUnaryPrecedence : outer);
}

std::string PrintBinary(const Expr& e, int outer) {
  const OpSpelling* s = Spelling(e.op);
  std::string text =
      Cat(PrintOperand(e, e.args[0], s->precedence), " ", s->text, " ",
          PrintOperand(e, e.args[1], s->precedence + 1));
  return s->precedence < outer ? Cat("(", text, ")") : text;
}

// `-5` is a literal; the negation of a literal is `-(5)`.
std::string PrintUnary(const Expr& e) {
  std::string_view sign = e.op == ExprOp::kNeg   ? "-"
                          : e.op == ExprOp::kNot ? "!"
                                                 : "~";
  std::string operand = Print(e.args[0], kUnaryPrecedence);
  bool literal = !operand.empty() && operand[0] >= '0' && operand[0] <= '9';
  if (e.op == ExprOp::kNeg && literal) return Cat(sign, "(", operand, ")");
  return Cat(sign, operand);
}

std::string PrintSelect(const Expr& e, int outer) {
  std::string text = Cat(Print(e.args[0], kSelectPrecedence + 1), " ? ",
                         Print(e.args[1], kSelectPrecedence), " : ",
                         Print(e.args[2], kSelectPrecedence));
  return kSelectPrecedence < outer ? Cat("(", text, ")") : text;
}

std::string PrintArgs(const std::vector<Expr>& args) {
  std::string out;
  for (const Expr& arg : args)
    Append(&out, out.empty() ? "" : ", ", Print(arg, 0));
  return out;
}

std::string PrintFloat(double number) {
  std::string text = fmt::format("{}", number);
  bool integral = text.find_first_not_of("-0123456789") == std::string::npos;
  return integral ? text + ".0" : text;
}

std::string Print(const Expr& e, int outer) {
  switch (e.kind) {
    case ExprKind::kInt:
      return e.name.empty() ? Cat(e.value) : e.name;
    case ExprKind::kFloat:
      return e.name.empty() ? PrintFloat(e.number) : e.name;
    case ExprKind::kName:
      return e.name;
    case ExprKind::kUnary:
      return PrintUnary(e);
    case ExprKind::kBinary:
      return PrintBinary(e, outer);
    case ExprKind::kSelect:
      return PrintSelect(e, outer);
    case ExprKind::kCall:
      return Cat(e.name, "(", PrintArgs(e.args), ")");
  }
  return "";
}

}  // namespace

Expr Expr::Int(int64_t value, Span span) {
  Expr e;
  e.value = value;
  e.span = span;
  return e;
}

std::string ToString(const Expr& expr) { return Print(expr, 0); }

}  // namespace tilesim::ir
