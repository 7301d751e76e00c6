// Statements: scalars, control and who executes.
#include <algorithm>
#include <utility>

#include "frontend/elsewhere.h"
#include "frontend/parser.h"
#include "ir/cat.h"
#include "ir/printer.h"

namespace tilesim::frontend {
namespace {

using ScopeKind = ir::Scope::Kind;

struct ScopeWord {
  std::string_view text;
  ScopeKind kind;
  bool range;
};
constexpr ScopeWord kScopeWords[] = {
    {"warp", ScopeKind::kWarps, false},
    {"warps", ScopeKind::kWarps, true},
    {"warpgroup", ScopeKind::kWarpgroups, false},
    {"warpgroups", ScopeKind::kWarpgroups, true},
    {"thread", ScopeKind::kThreads, false},
    {"threads", ScopeKind::kThreads, true},
    {"lane", ScopeKind::kLanes, false},
    {"lanes", ScopeKind::kLanes, true}};

}  // namespace

const Parser::Keyword Parser::kStatements[] = {
    {"let", &Parser::Let},
    {"var", &Parser::Var},
    {"for", &Parser::For},
    {"while", &Parser::While},
    {"if", &Parser::If},
    {"break", &Parser::Break},
    {"continue", &Parser::Continue},
    {"return", &Parser::Return},
    {"reg", &Parser::Reg},
    {"role", &Parser::Role},
    {"elect", &Parser::ScopeStmt},
    {"warp", &Parser::ScopeStmt},
    {"warps", &Parser::ScopeStmt},
    {"warpgroup", &Parser::ScopeStmt},
    {"warpgroups", &Parser::ScopeStmt},
    {"thread", &Parser::ScopeStmt},
    {"threads", &Parser::ScopeStmt},
    {"lane", &Parser::ScopeStmt},
    {"lanes", &Parser::ScopeStmt},
    {"", nullptr}};

ir::Stmt Parser::NewStmt(ir::Stmt::Kind kind) {
  ir::Stmt s;
  s.kind = kind;
  bool scalar = kind == ir::Stmt::Kind::kLet || kind == ir::Stmt::Kind::kVar ||
                kind == ir::Stmt::Kind::kFor;
  if (scalar) CountScalar();
  s.comments.above = std::move(above_);
  above_.clear();
  s.span = cur_.span;
  return s;
}

void Parser::Push(ir::Stmt s) {
  if (block_ == &kernel_->body)
    PushItem(ir::Item::Kind::kStmt, kernel_->body.size());
  block_->push_back(std::move(s));
  last_ = &block_->back().comments;
}

bool Parser::Let() {
  Advance();
  if (block_ == &kernel_->body && !next_.is(",")) return TopLevelLet();
  return Named(NewStmt(ir::Stmt::Kind::kLet), ir::Call::Results::kLet);
}

bool Parser::Var() {
  Advance();
  if (block_ == &kernel_->body && cur_.kind == TokenKind::kName)
    runtime_.insert(std::string(cur_.text));
  return Named(NewStmt(ir::Stmt::Kind::kVar), ir::Call::Results::kVar);
}

// NAME = expr, NAME = f(a), NAME, NAME ... = f(a)
bool Parser::Named(ir::Stmt s, ir::Call::Results how) {
  if (next_.is(",")) {
    if (!Results(&s, how) || !CallOf(&s)) return false;
    Push(std::move(s));
    return true;
  }
  if (!NewName(how == ir::Call::Results::kLet ? "the name of the let"
                                              : "the variable's name",
               &s.name, &s.span)) {
    return false;
  }
  if (!Expect("=", "the name")) return false;
  return CallAhead() ? NamedCall(std::move(s), how) : Valued(std::move(s));
}

bool Parser::Valued(ir::Stmt s) {
  if (!Expr(&s.value)) return false;
  Push(std::move(s));
  return true;
}

// The call may be all of the value, or the beginning of an expression.
bool Parser::NamedCall(ir::Stmt s, ir::Call::Results how) {
  ir::Stmt call = s;
  if (!CallOf(&call)) return false;
  if (!AtEndOfStatement()) {
    if (!GoOnWith(call, &s.value)) return false;
    Push(std::move(s));
    return true;
  }
  call.call->how = how;
  call.call->names = {s.name};
  Push(std::move(call));
  return true;
}

bool Parser::Assign() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kAssign);
  if (!NewName("the variable's name", &s.name, &s.span)) return false;
  if (!Expect("=", "the variable's name")) return false;
  return CallAhead() ? NamedCall(std::move(s), ir::Call::Results::kAssign)
                     : Valued(std::move(s));
}

// A header that went wrong must not hide what is wrong in its block: callers
// return false and Recover reads the block.
bool Parser::Body(ir::Stmt* s) {
  return Block(&s->body, &s->comments.open, &s->comments.end);
}

// `for (i = 0; i < N; i++) {`: its `;` end no statements.
bool Parser::LoopOfC() {
  Error("syntax/expected", cur_.span, "a loop has no `(` behind `for`").help =
      "`for i in 0..N {`, or `for i in 0..N step 2 {`";
  while (cur_.kind != TokenKind::kEnd && cur_.kind != TokenKind::kNewline &&
         !At("{"))
    Advance();
  return false;
}

bool Parser::For() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kFor);
  Advance();
  if (At("(")) return LoopOfC();
  if (!NewName("the loop counter's name", &s.name, &s.span)) return false;
  if (!Expect("in", "the loop counter") || !Expr(&s.low)) return false;
  if (!Expect("..", "the first value") || !Expr(&s.high)) return false;
  if (Accept("step") && !Expr(&s.step.emplace())) return false;
  if (!Body(&s)) return false;
  Push(std::move(s));
  return true;
}

bool Parser::While() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kWhile);
  Advance();
  if (!Expr(&s.value) || !Body(&s)) return false;
  Push(std::move(s));
  return true;
}

bool Parser::If() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kIf);
  if (!IfRest(&s)) return false;
  Push(std::move(s));
  return true;
}

bool Parser::IfRest(ir::Stmt* s) {
  Advance();
  if (!Expr(&s->value) || !Body(s)) return false;
  if (cur_.kind == TokenKind::kNewline && next_.is("else")) Advance();
  if (!At("else")) return true;
  // Comments between `}` and `else` stay inside.
  std::vector<std::string> between = TakeComments(cur_.offset);
  std::copy_if(between.begin(), between.end(),
               std::back_inserter(s->comments.end),
               [](const std::string& c) { return !c.empty(); });
  Advance();
  if (!At("if"))
    return Block(&s->orelse, &s->comments.else_open, &s->comments.else_end);
  // else if: one statement in the else block; a level of nesting for whoever
  // walks the tree.
  if (block_depth_ >= kMaxBlockDepth) {
    Error("syntax/too-deep", cur_.span,
          ir::Cat("an if has more than ", kMaxBlockDepth, " branches"));
    return false;
  }
  ++block_depth_;
  ir::Stmt nested;
  nested.kind = ir::Stmt::Kind::kIf;
  nested.span = cur_.span;
  bool ok = IfRest(&nested);
  --block_depth_;
  s->orelse.push_back(std::move(nested));
  return ok;
}

bool Parser::Break() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kBreak);
  Advance();
  Push(std::move(s));
  return true;
}

bool Parser::Continue() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kContinue);
  Advance();
  Push(std::move(s));
  return true;
}

// role NAME = scope [, scope]* { }, where a scope may be warps | warps ...
bool Parser::Role() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kScope);
  Advance();
  if (!NewName("the role's name", &s.name, &s.span)) return false;
  if (!Expect("=", "the role's name")) return false;
  if (!Scopes(&s) || !Body(&s)) return false;
  Push(std::move(s));
  return true;
}

bool Parser::ScopeStmt() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kScope);
  if (!Scopes(&s) || !Body(&s)) return false;
  Push(std::move(s));
  return true;
}

bool Parser::Scopes(ir::Stmt* s) {
  do {
    if (!OneScope(s)) return false;
    while (Accept("|")) {
      if (!OneScope(s) || !Unite(s)) return false;
    }
  } while (Accept(","));
  return true;
}

// Of the last two of the list.
bool Parser::Unite(ir::Stmt* s) {
  const size_t last = s->scopes.size() - 1;
  for (size_t k : {last - 1, last}) {
    ir::Scope& scope = s->scopes[k];
    if (scope.kind == ScopeKind::kWarps || scope.kind == ScopeKind::kWarpgroups)
      continue;
    Error("syntax/expected", scope.span,
          ir::Cat("`|` unites warps and warpgroups; `",
                  ir::ToString(std::vector<ir::Scope>{scope}), "` is neither"));
    return false;
  }
  s->scopes[last].also = true;
  return true;
}

// A `|` before a word of a scope ends it.
bool Parser::ScopeBound(ir::Expr* out) {
  unites_ = true;
  return Expr(out);
}

bool Parser::AtUnion() const {
  return At("|") &&
         (next_.is("elect") ||
          std::any_of(std::begin(kScopeWords), std::end(kScopeWords),
                      [&](const ScopeWord& w) { return next_.is(w.text); }));
}

bool Parser::OneScope(ir::Stmt* s) {
  Token first = cur_;
  ir::Scope& scope = s->scopes.emplace_back();
  scope.span = cur_.span;
  Spend(4);
  if (Accept("elect")) {
    if (At("("))
      return Expected("`,` or `{`", "`elect` is written without parentheses");
    scope.one = Accept("one");
    scope.span = SpanFrom(first);
    return true;
  }
  const ScopeWord* word =
      std::find_if(std::begin(kScopeWords), std::end(kScopeWords),
                   [&](const ScopeWord& w) { return At(w.text); });
  if (word == std::end(kScopeWords))
    return Expected("`elect`, `warp`, `warpgroup`, `thread` or `lane`",
                    CalledHere(cur_.text));
  Advance();
  scope.kind = word->kind;
  scope.range = word->range;
  if (!ScopeBound(&scope.low)) return false;
  if (word->range) {
    if (!Expect("..", "the first of them") || !ScopeBound(&scope.high))
      return false;
  } else if (At("..")) {
    Error("syntax/expected", cur_.span,
          ir::Cat("`", word->text, "` names one; a range is written `",
                  word->text, "s a..b`"));
    return false;
  }
  scope.span = SpanFrom(first);
  return true;
}

}  // namespace tilesim::frontend
