// Includes, functions and their calls.
#include <algorithm>
#include <utility>

#include "frontend/parser.h"
#include "frontend/suggest.h"
#include "ir/cat.h"
#include "ir/eval.h"

namespace tilesim::frontend {
namespace {

struct SpaceWord {
  std::string_view text;
  ir::Space space;
};
constexpr SpaceWord kSpaceWords[] = {{"global", ir::Space::kGlobal},
                                     {"shared", ir::Space::kShared},
                                     {"mbarrier", ir::Space::kMbarrier},
                                     {"tmem", ir::Space::kTmem},
                                     {"reg", ir::Space::kReg}};

bool IsBuiltinFunction(std::string_view name) {
  auto functions = ir::Functions();
  return name == "bytes" ||
         std::any_of(functions.begin(), functions.end(),
                     [&](const ir::Function& f) { return f.name == name; });
}

}  // namespace

// include "file"
void Parser::Include() {
  ir::Include include;
  include.comments.above = TakeComments(cur_.offset);
  Advance();
  if (cur_.kind != TokenKind::kString) {
    Expected("the name of a file in quotes");
    Recover(cur_.offset);
    return;
  }
  include.span = cur_.span;
  include.path = std::string(cur_.text.substr(1, cur_.text.size() - 2));
  Advance();
  program_.includes.push_back(std::move(include));
  last_ = &program_.includes.back().comments;
  if (!EndStatement()) Recover(cur_.offset);
}

// fn NAME(param, ...) { }
void Parser::Function() {
  // Register tiles go where those of a kernel do.
  ir::Kernel holder;
  ir::Fn& f = program_.functions.emplace_back();
  kernel_ = &holder;
  function_ = &f;
  scalars_ = 0;
  f.comments.above = TakeComments(cur_.offset);
  Advance();
  if (!FunctionHeader(&f)) {
    while (!At("{") && !AtEndOfStatement()) Advance();
  }
  bool ok = Block(&f.body, &f.comments.open, &f.comments.end);
  f.decls = std::move(holder.decls);
  last_ = &f.comments;
  if (ok && cur_.kind == TokenKind::kNewline) AttachTrailing();
  kernel_ = nullptr;
  function_ = nullptr;
}

bool Parser::FunctionHeader(ir::Fn* f) {
  if (!NewName("the function's name", &f->name, &f->span)) return false;
  if (IsBuiltinFunction(f->name)) {
    Error("name/duplicate", f->span,
          ir::Cat("`", f->name, "` is a function of the language"));
    return false;
  }
  if (!Expect("(", "the function's name")) return false;
  if (Accept(")")) return true;
  do {
    if (!FunctionParam(&f->params.emplace_back())) return false;
  } while (Accept(","));
  return Expect(")", "the parameters");
}

// NAME, var NAME, SPACE NAME [: dtype [fragment F]]
bool Parser::FunctionParam(ir::FnParam* p) {
  using Kind = ir::FnParam::Kind;
  Spend(4);
  if (Accept("var")) p->kind = Kind::kVar;
  const SpaceWord* word =
      std::find_if(std::begin(kSpaceWords), std::end(kSpaceWords),
                   [&](const SpaceWord& w) { return At(w.text); });
  if (p->kind == Kind::kNumber && word != std::end(kSpaceWords)) {
    p->kind = Kind::kMemory;
    p->space = word->space;
    Advance();
  }
  if (!NewName("the name of a parameter", &p->name, &p->span)) return false;
  bool typed = p->kind == Kind::kMemory && p->space != ir::Space::kMbarrier;
  return !typed || !Accept(":") || FunctionType(p);
}

bool Parser::FunctionType(ir::FnParam* p) {
  ir::Decl d;
  if (!ElementType(&d)) return false;
  p->dtype = d.dtype;
  if (p->space != ir::Space::kReg || !At("fragment")) return true;
  if (!FragmentOf(&d)) return false;
  p->fragment = d.fragment;
  p->fragment_arg = std::move(d.fragment_arg);
  return true;
}

// A name that is not the language's own, and `(`.
bool Parser::CallAhead() const {
  return cur_.kind == TokenKind::kName && !cur_.dotted && next_.is("(") &&
         !IsKeyword(cur_.text) && !IsBuiltinFunction(cur_.text);
}

// f(x), or a, b = f(x)
bool Parser::CallStmt() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kCall);
  if (!CallAhead() && !Results(&s, ir::Call::Results::kAssign)) return false;
  if (!CallOf(&s)) return false;
  Push(std::move(s));
  return true;
}

// NAME, NAME ... = of what is called, from the name on
bool Parser::Results(ir::Stmt* s, ir::Call::Results how) {
  ir::Call& call = s->call.emplace();
  call.how = how;
  do {
    if (!NewName("a name", &call.names.emplace_back(), &s->span)) return false;
    if (how != ir::Call::Results::kAssign) CountScalar();
    if (block_ == &kernel_->body) runtime_.insert(call.names.back());
  } while (Accept(","));
  if (!Expect("=", "the names")) return false;
  return CallAhead() || Expected("a call, which gives several numbers");
}

bool Parser::CallOf(ir::Stmt* s) {
  Token name = cur_;
  if (!s->call) s->call.emplace();
  s->kind = ir::Stmt::Kind::kCall;
  s->name = std::string(name.text);
  Advance();
  Advance();
  int height = 0;
  if (!Accept(")")) {
    do {
      Spend(4);
      if (!Argument(&s->call->args.emplace_back())) return false;
      height = std::max(height, height_);
    } while (Accept(","));
    if (!Expect(")", "the arguments")) return false;
  }
  begun_height_ = height + 1;
  s->span = SpanFrom(name);
  return true;
}

// A name alone may be either; what it is called with says which.
bool Parser::Argument(ir::Operand* out) {
  Token first = cur_;
  bool name = cur_.kind == TokenKind::kName && !cur_.dotted;
  bool ref = name && (next_.is("[") || next_.is("@") ||
                      (At("transpose") && next_.is("(")));
  out->kind = ref ? ir::Operand::Kind::kRef : ir::Operand::Kind::kExpr;
  bool ok = ref ? Reference(&out->ref) : Expr(&out->expr);
  out->span = SpanFrom(first);
  return ok;
}

// `let x = f(a) + 1`: the call was the beginning of an expression.
bool Parser::GoOnWith(const ir::Stmt& call, ir::Expr* out) {
  ir::Expr e;
  e.kind = ir::ExprKind::kCall;
  e.name = call.name;
  e.span = call.span;
  for (const ir::Operand& arg : call.call->args) {
    if (arg.kind == ir::Operand::Kind::kRef) {
      Error("type/operand", arg.span, "an expression has no tiles").help =
          "let a name have the result of the call, and use that";
      return false;
    }
    e.args.push_back(arg.expr);
  }
  begun_ = std::move(e);
  return Expr(out);
}

// return a, b
bool Parser::Return() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kReturn);
  Token first = cur_;
  Advance();
  if (function_ == nullptr || block_ != &function_->body) {
    Error("syntax/placement", first.span,
          "`return` stands at the end of a function, in no block")
        .help = "assign a `var` in the block, and return that at the end";
    return false;
  }
  ir::Call& call = s.call.emplace();
  do {
    ir::Operand& o = call.args.emplace_back();
    o.kind = ir::Operand::Kind::kExpr;
    if (!Expr(&o.expr)) return false;
    o.span = o.expr.span;
  } while (Accept(","));
  s.span = SpanFrom(first);
  Push(std::move(s));
  return true;
}

}  // namespace tilesim::frontend
