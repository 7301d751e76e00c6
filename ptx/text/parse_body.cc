#include <utility>

#include "ir/cat.h"
#include "ptx/text/parser.h"

namespace tilesim::ptx {
namespace {

constexpr std::string_view kLocalSpaces[] = {".reg",   ".shared", ".local",
                                             ".param", ".global", ".const"};

bool IsLocalSpace(std::string_view text) {
  for (std::string_view one : kLocalSpaces) {
    if (one == text) return true;
  }
  return false;
}

}  // namespace

Statement& Parser::Add(Statement::Kind kind, ir::Span span) {
  Statement& s = body_->emplace_back();
  s.kind = kind;
  s.span = span;
  return s;
}

bool Parser::Body(Function* f) {
  f->has_body = true;
  f->brace = cur_.span;
  body_ = &f->body;
  open_ = {cur_.span};
  Advance();
  while (!open_.empty()) {
    if (AtKind(Token::Kind::kEnd) || At(".entry") || At(".func") ||
        At(".visible")) {
      Error("syntax/unclosed", open_.back(), "the brace is never closed").help =
          "end the body or scope with `}`";
      return false;
    }
    BodyStatement();
  }
  body_ = nullptr;
  return true;
}

void Parser::BodyStatement() {
  if (At("{")) {
    Add(Statement::Kind::kOpen, cur_.span);
    open_.push_back(cur_.span);
    Advance();
  } else if (At("}")) {
    // The last one is the body's own.
    if (open_.size() > 1) Add(Statement::Kind::kClose, cur_.span);
    open_.pop_back();
    Advance();
  } else {
    size_t before = consumed_;
    if (StatementOf()) return;
    if (consumed_ == before) Advance();
    Recover();
  }
}

// On after the statement: behind the next `;`, or before what begins a line
// and cannot be in the midst of one.
void Parser::Recover() {
  while (!AtKind(Token::Kind::kEnd)) {
    bool begins = cur_.first_on_line &&
                  (At("}") || At("{") || At(".loc") || At(".entry") ||
                   At(".visible") || At("@") || next_.is(":"));
    if (begins || At("}")) return;
    bool ends = At(";");
    Advance();
    if (ends) return;
  }
}

bool Parser::StatementOf() {
  if (At(".loc")) {
    ir::Span span = cur_.span;
    Loc loc;
    if (!LocOf(&loc)) return false;
    Add(Statement::Kind::kLoc, span).loc.push_back(std::move(loc));
    return true;
  }
  if (At(".pragma")) {
    ir::Span span = cur_.span;
    Directive d;
    if (!DirectiveOf(&d)) return false;
    Add(Statement::Kind::kPragma, span).pragma.push_back(std::move(d));
    return true;
  }
  if (IsLocalSpace(cur_.text)) {
    ir::Span span = cur_.span;
    Variable v;
    if (!VariableOf(&v, false) || !EndStatement("the declaration"))
      return false;
    Add(Statement::Kind::kVariable, span).variable.push_back(std::move(v));
    return true;
  }
  if (AtKind(Token::Kind::kName) && next_.is(":")) return Labelled();
  if (Accept(";")) return true;  // an empty statement
  return InstructionOf();
}

bool Parser::LocPlace(Loc::Place* place) {
  return Count("the index of the file", &place->file) &&
         Count("the line", &place->line) && Count("the column", &place->column);
}

bool Parser::LocOf(Loc* loc) {
  Advance();
  if (!LocPlace(&loc->place)) return false;
  while (Accept(",")) {
    if (!LocRest(loc)) return false;
  }
  return true;
}

bool Parser::LocRest(Loc* loc) {
  if (Accept("inlined_at")) return LocPlace(&loc->inlined_at.emplace());
  if (!Accept("function_name"))
    return Expected("`function_name` or `inlined_at`");
  if (!Name("the label of the function's name", &loc->function)) return false;
  return !Accept("+") || Count("an offset", &loc->function_offset);
}

bool Parser::Labelled() {
  Statement s;
  s.kind = Statement::Kind::kLabel;
  s.name = cur_.text;
  s.span = cur_.span;
  Advance();
  Advance();
  if (At(".branchtargets") || At(".calltargets"))
    return TargetsOf(std::move(s));
  if (At(".callprototype")) return PrototypeOf(std::move(s));
  body_->push_back(std::move(s));
  return true;
}

bool Parser::TargetsOf(Statement s) {
  s.kind = Statement::Kind::kTargets;
  Targets t;
  t.directive = cur_.text;
  Advance();
  do {
    std::string name;
    if (!Name("a label", &name)) return false;
    t.names.push_back(std::move(name));
  } while (Accept(","));
  s.targets.push_back(std::move(t));
  body_->push_back(std::move(s));
  return EndStatement("the labels");
}

// name: .callprototype (returns) _ (params) .noreturn;
bool Parser::PrototypeOf(Statement s) {
  s.kind = Statement::Kind::kPrototype;
  Signature signature;
  Advance();
  std::string name;
  if (!Params(&signature.returns) || !Name("`_`", &name) ||
      !Params(&signature.params) || !Directives(&signature.directives))
    return false;
  s.prototype.push_back(std::move(signature));
  body_->push_back(std::move(s));
  return EndStatement("the prototype");
}

bool Parser::GuardOf(Guard* guard) {
  guard->negated = Accept("!");
  if (!Name("a predicate after `@`", &guard->reg)) return false;
  return true;
}

namespace {

// ptxas takes vote.ballot.sync for vote.sync.ballot, which CUB writes so.
void InOrder(std::string& opcode) {
  for (std::string_view mode : {".all", ".any", ".uni", ".ballot"}) {
    const std::string other = ir::Cat("vote", mode, ".sync");
    if (!opcode.starts_with(other)) continue;
    opcode = ir::Cat("vote.sync", mode, opcode.substr(other.size()));
    return;
  }
}

}  // namespace

bool Parser::InstructionOf() {
  Statement s;
  s.span = cur_.span;
  Instruction& i = s.instruction;
  if (Accept("@") && !GuardOf(&i.guard)) return false;
  ir::Span op = cur_.span;
  if (!Name("an instruction", &i.opcode)) return false;
  if (i.opcode[0] == '%' || i.opcode[0] == '$') {
    Error("syntax/expected", op,
          ir::Cat("expected an instruction, found `", i.opcode, "`"))
        .help = "a statement is `@%p add.s32 %r1, %r2, %r3;`, a label `L:`";
    return false;
  }
  // ptxas takes blanks before a modifier.
  while (AtKind(Token::Kind::kDot)) {
    i.opcode.append(cur_.text);
    Advance();
  }
  s.span = op;
  InOrder(i.opcode);
  if (!Operands(&i) || !EndStatement("the instruction")) return false;
  body_->push_back(std::move(s));
  return true;
}

}  // namespace tilesim::ptx
