// Expressions: precedence climbing over ir::kBinaryOps. Depth of recursion and
// height of the tree are both bounded, since whatever walks a tree recurses.
#include <algorithm>
#include <limits>
#include <utility>

#include "frontend/elsewhere.h"
#include "frontend/level.h"
#include "frontend/parser.h"
#include "frontend/suggest.h"
#include "ir/cat.h"
#include "ir/eval.h"

namespace tilesim::frontend {
namespace {

const ir::OpSpelling* BinaryOp(const Token& t) {
  if (t.kind != TokenKind::kPunct) return nullptr;
  for (const ir::OpSpelling& s : ir::kBinaryOps) {
    if (s.text == t.text) return &s;
  }
  return nullptr;
}

ir::Expr Node(ir::ExprKind kind, ir::ExprOp op, ir::Span span) {
  ir::Expr e;
  e.kind = kind;
  e.op = op;
  e.span = span;
  return e;
}

ir::ExprOp UnaryOp(const Token& t) {
  if (t.is("-")) return ir::ExprOp::kNeg;
  if (t.is("!")) return ir::ExprOp::kNot;
  if (t.is("~")) return ir::ExprOp::kBitNot;
  return ir::ExprOp::kNone;
}

}  // namespace

bool Parser::TooDeep(ir::Span span) {
  Error("syntax/too-deep", span,
        ir::Cat("the expression is nested more than ", kMaxExprDepth, " deep"));
  return false;
}

bool Parser::Expr(ir::Expr* out) {
  Level level(expr_depth_);
  if (expr_depth_ > kMaxExprDepth) return TooDeep(cur_.span);
  Token first = cur_;
  // Not of what stands in brackets.
  const bool unites = std::exchange(unites_, false);
  if (!Binary(0, unites, out)) return false;
  if (!Accept("?")) return true;
  int height = height_;
  ir::Expr select = Node(ir::ExprKind::kSelect, ir::ExprOp::kNone, {});
  select.args.resize(3);
  select.args[0] = std::move(*out);
  if (!Expr(&select.args[1])) return false;
  height = std::max(height, height_);
  if (!Expect(":", "the first choice of `?`")) return false;
  if (!Expr(&select.args[2])) return false;
  height_ = std::max(height, height_) + 1;
  select.span = SpanFrom(first);
  *out = std::move(select);
  return height_ <= kMaxExprDepth || TooDeep(first.span);
}

bool Parser::ExprList(std::string_view close, std::vector<ir::Expr>* out) {
  do {
    ir::Expr e;
    if (!Expr(&e)) return false;
    out->push_back(std::move(e));
  } while (Accept(","));
  if (Accept(close)) return true;
  return Expected(ir::Cat("`,` or `", close, "`"));
}

bool Parser::Binary(int precedence, bool unites, ir::Expr* out) {
  Token first = cur_;
  if (!Unary(out)) return false;
  int height = height_;
  while (true) {
    const ir::OpSpelling* op = BinaryOp(cur_);
    if (op == nullptr || op->precedence < precedence) break;
    if (unites && AtUnion()) break;
    Advance();
    ir::Expr e = Node(ir::ExprKind::kBinary, op->op, {});
    e.args.resize(2);
    Level level(expr_depth_);
    if (expr_depth_ > kMaxExprDepth) return TooDeep(cur_.span);
    if (!Binary(op->precedence + 1, unites, &e.args[1])) return false;
    e.args[0] = std::move(*out);
    e.span = SpanFrom(first);
    *out = std::move(e);
    height = std::max(height, height_) + 1;
    Spend(1);
    if (height > kMaxExprDepth) return TooDeep(first.span);
  }
  height_ = height;
  return true;
}

bool Parser::Unary(ir::Expr* out) {
  ir::ExprOp op = UnaryOp(cur_);
  if (op == ir::ExprOp::kNone) return Primary(out);
  Level level(expr_depth_);
  if (expr_depth_ > kMaxExprDepth) return TooDeep(cur_.span);
  bool literal =
      next_.kind == TokenKind::kInt || next_.kind == TokenKind::kFloat;
  if (op == ir::ExprOp::kNeg && literal) return NegativeLiteral(out);
  Token first = cur_;
  Advance();
  ir::Expr e = Node(ir::ExprKind::kUnary, op, {});
  e.args.resize(1);
  if (!Unary(&e.args[0])) return false;
  e.span = SpanFrom(first);
  *out = std::move(e);
  Spend(1);
  return ++height_ <= kMaxExprDepth || TooDeep(first.span);
}

// `-9223372036854775808` fits although its digits alone do not.
bool Parser::NegativeLiteral(ir::Expr* out) {
  Token minus = cur_;
  Advance();
  constexpr uint64_t kMagnitude = uint64_t{1} << 63;
  if (cur_.kind == TokenKind::kInt && cur_.value == kMagnitude &&
      !cur_.too_large) {
    *out = ir::Expr::Int(std::numeric_limits<int64_t>::min());
    if (cur_.text != "9223372036854775808") out->name = ir::Cat("-", cur_.text);
    Advance();
    height_ = 1;
  } else {
    if (!Number(out)) return false;
    out->value = -out->value;
    out->number = -out->number;
    if (!out->name.empty()) out->name.insert(0, "-");
  }
  out->span = SpanFrom(minus);
  return true;
}

bool Parser::Number(ir::Expr* out) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  bool is_float = cur_.kind == TokenKind::kFloat;
  if (cur_.too_large || (!is_float && cur_.value > kMax)) {
    Error("syntax/number", cur_.span,
          ir::Cat(Quoted(cur_.text), " does not fit in ",
                  is_float ? "a double" : "a 64-bit integer"));
    return false;
  }
  *out = ir::Expr();
  out->kind = is_float ? ir::ExprKind::kFloat : ir::ExprKind::kInt;
  if (is_float) out->number = cur_.number;
  if (!is_float) out->value = static_cast<int64_t>(cur_.value);
  if (ir::ToString(*out) != cur_.text) out->name = std::string(cur_.text);
  out->span = cur_.span;
  Advance();
  Spend(1);
  height_ = 1;
  return true;
}

bool Parser::Primary(ir::Expr* out) {
  if (begun_) {
    *out = *std::exchange(begun_, std::nullopt);
    Spend(1);
    height_ = begun_height_;
    return true;
  }
  switch (cur_.kind) {
    case TokenKind::kInt:
    case TokenKind::kFloat:
      return Number(out);
    case TokenKind::kWord:
      Error("syntax/number", cur_.span,
            ir::Cat(Quoted(cur_.text), " is not a number"));
      return false;
    case TokenKind::kName:
      return NameOrCall(out);
    default:
      break;
  }
  if (!At("(")) return Expected("an expression", CalledHere(cur_.text));
  Advance();
  if (!Expr(out)) return false;
  return Expect(")", "the expression");
}

bool Parser::NameOrCall(ir::Expr* out) {
  bool builtin = cur_.dotted || At("warp") || At("warpgroup");
  if (!builtin && IsKeyword(cur_.text))
    return Expected("an expression", CalledHere(cur_.text));
  Token name = cur_;
  Advance();
  if (At("(") && !name.dotted) return Call(name, out);
  *out = Node(ir::ExprKind::kName, ir::ExprOp::kNone, name.span);
  out->name = std::string(name.text);
  Spend(1);
  height_ = 1;
  return true;
}

// Of a function of the language, or of one of the program: those are known when
// all is read.
bool Parser::Call(const Token& name, ir::Expr* out) {
  size_t arity = 1;
  bool found = name.text == "bytes";
  for (const ir::Function& f : ir::Functions()) {
    if (f.name != name.text) continue;
    found = true;
    arity = static_cast<size_t>(f.arity);
  }
  Advance();
  ir::Expr call = Node(ir::ExprKind::kCall, ir::ExprOp::kNone, {});
  call.name = std::string(name.text);
  int height = 0;
  do {
    ir::Expr& arg = call.args.emplace_back();
    if (!Expr(&arg)) return false;
    height = std::max(height, height_);
  } while (Accept(","));
  if (name.text == "bytes" && At("["))
    return Expected("`)` after the arguments",
                    ir::Cat("`bytes(", call.args[0].name,
                            ")` is that of one object of an array"));
  if (!Expect(")", "the arguments")) return false;
  call.span = SpanFrom(name);
  bool fits =
      !found ||
      (call.args.size() == arity &&
       (name.text != "bytes" || call.args[0].kind == ir::ExprKind::kName));
  if (!fits) {
    Error("syntax/arguments", call.span,
          ir::Cat("`", name.text, "` takes ",
                  name.text == "bytes" ? "the name of a declaration"
                                       : ir::Cat(arity, " arguments")));
    return false;
  }
  *out = std::move(call);
  Spend(1);
  height_ = height + 1;
  return height_ <= kMaxExprDepth || TooDeep(name.span);
}

}  // namespace tilesim::frontend
