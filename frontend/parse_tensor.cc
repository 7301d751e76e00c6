// Tensor expressions: the right side of `computes`. Bounded like the others.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/level.h"
#include "frontend/parser.h"
#include "frontend/suggest.h"
#include "ir/cat.h"
#include "ir/reference_functions.h"

namespace tilesim::frontend {

bool Parser::TensorSum(ir::TensorExpr* out) {
  Level level(expr_depth_);
  if (expr_depth_ > kMaxExprDepth) return TooDeep(cur_.span);
  Token first = cur_;
  if (!TensorProduct(out)) return false;
  int height = height_;
  while (At("+") || At("-")) {
    ir::TensorExpr e;
    e.kind = At("+") ? ir::TensorExpr::Kind::kAdd : ir::TensorExpr::Kind::kSub;
    Advance();
    e.args.resize(2);
    if (!TensorProduct(&e.args[1])) return false;
    e.args[0] = std::move(*out);
    e.span = SpanFrom(first);
    *out = std::move(e);
    height = std::max(height, height_) + 1;
    if (height > kMaxExprDepth) return TooDeep(first.span);
  }
  height_ = height;
  return true;
}

bool Parser::TensorProduct(ir::TensorExpr* out) {
  using Kind = ir::TensorExpr::Kind;
  Token first = cur_;
  if (!TensorPrimary(out)) return false;
  int height = height_;
  while (Accept("*")) {
    ir::TensorExpr e;
    e.args.resize(2);
    if (!TensorPrimary(&e.args[1])) return false;
    e.args[0] = std::move(*out);
    bool scale =
        e.args[0].kind == Kind::kNumber || e.args[1].kind == Kind::kNumber;
    e.kind = scale ? Kind::kScale : Kind::kMatmul;
    e.span = SpanFrom(first);
    *out = std::move(e);
    height = std::max(height, height_) + 1;
    if (height > kMaxExprDepth) return TooDeep(first.span);
  }
  height_ = height;
  return true;
}

bool Parser::TensorPrimary(ir::TensorExpr* out) {
  Spend(2);
  Token first = cur_;
  bool number = cur_.kind == TokenKind::kInt || cur_.kind == TokenKind::kFloat;
  bool negative = At("-") && (next_.kind == TokenKind::kInt ||
                              next_.kind == TokenKind::kFloat);
  if (number || negative) {
    out->kind = ir::TensorExpr::Kind::kNumber;
    bool ok = negative ? NegativeLiteral(&out->number) : Number(&out->number);
    out->span = SpanFrom(first);
    return ok;
  }
  if (Accept("(")) {
    return TensorSum(out) && Expect(")", "the tensor expression");
  }
  if (cur_.kind != TokenKind::kName || cur_.dotted || IsKeyword(cur_.text))
    return Expected("a tensor, a number or a function");
  Advance();
  if (At("(")) return TensorCall(first, out);
  out->kind = ir::TensorExpr::Kind::kTensor;
  out->name = std::string(first.text);
  out->span = first.span;
  height_ = 1;
  return true;
}

bool Parser::TensorCall(const Token& name, ir::TensorExpr* out) {
  const ir::ReferenceFunction* function = ir::FindReferenceFunction(name.text);
  if (function == nullptr) {
    std::vector<std::string_view> known;
    for (const ir::ReferenceFunction& f : ir::kReferenceFunctions)
      known.push_back(f.name);
    ir::Diagnostic& d = Error(
        "name/function", name.span,
        ir::Cat("there is no function ", Quoted(name.text), " of tensors"));
    d.help = DidYouMean(name.text, known);
    if (d.help.empty()) d.help = ir::Cat("there are ", Alternatives(known));
    return false;
  }
  Advance();
  ir::TensorExpr call;
  call.kind = ir::TensorExpr::Kind::kCall;
  call.name = std::string(name.text);
  int height = 0;
  do {
    ir::TensorExpr& arg = call.args.emplace_back();
    if (!TensorSum(&arg)) return false;
    height = std::max(height, height_);
  } while (Accept(","));
  if (!Expect(")", "the arguments")) return false;
  call.span = SpanFrom(name);
  if (static_cast<int>(call.args.size()) != function->arity) {
    Error("syntax/arguments", call.span,
          ir::Cat("`", function->name, "` takes ", function->arity,
                  function->arity == 1 ? " argument" : " arguments"));
    return false;
  }
  *out = std::move(call);
  height_ = height + 1;
  return height_ <= kMaxExprDepth || TooDeep(name.span);
}

}  // namespace tilesim::frontend
