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

std::string PrintBinary(const Expr& e, int outer) {
  const OpSpelling* s = Spelling(e.op);
  std::string text = Cat(Print(e.args[0], s->precedence), " ", s->text, " ",
                         Print(e.args[1], s->precedence + 1));
  return s->precedence < outer ? Cat("(", text, ")") : text;
}

std::string PrintUnary(const Expr& e) {
  std::string_view sign = e.op == ExprOp::kNeg   ? "-"
                          : e.op == ExprOp::kNot ? "!"
                                                 : "~";
  return Cat(sign, Print(e.args[0], kUnaryPrecedence));
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
      return Cat(e.value);
    case ExprKind::kFloat:
      return PrintFloat(e.number);
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
