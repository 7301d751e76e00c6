#include "frontend/parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/suggest.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

constexpr int64_t kStmtNodes = 16;  // a statement's share of kMaxNodes

constexpr std::string_view kKeywords[] = {
    "kernel",    "param",      "const",    "let",     "var",  "requires",
    "global",    "shared",     "mbarrier", "tmem",    "reg",  "computes",
    "grid",      "cluster",    "block",    "role",    "warp", "warps",
    "warpgroup", "warpgroups", "thread",   "threads", "lane", "lanes",
    "elect",     "for",        "while",    "if",      "else", "break",
    "continue",  "return",     "in",       "cta",     "sm"};

}  // namespace

bool IsKeyword(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) !=
         std::end(kKeywords);
}

Parser::Parser(std::string_view text, Holds holds, int32_t place,
               ir::Diagnostics& diagnostics)
    : diagnostics_(diagnostics),
      holds_(holds),
      errors_before_(diagnostics.errors()),
      lexer_(text, diagnostics, place) {
  Advance();
  Advance();
}

// --- tokens ----------------------------------------------------------------

void Parser::Advance() {
  if (diagnostics_.errors() >= ir::Diagnostics::kLimit) Stop();
  prev_ = cur_;
  cur_ = next_;
  if (stopped_) {
    next_ = cur_ = Token{};
    return;
  }
  // A byte that belongs nowhere has been reported: read on as if it were not
  // there.
  do {
    next_ = lexer_.Next();
  } while (next_.kind == TokenKind::kBad &&
           diagnostics_.errors() < ir::Diagnostics::kLimit);
  if (next_.span.text_line() >= ir::kLinesOfPlace - 1)
    TooLong(ir::Cat("the file has ", ir::kLinesOfPlace, " lines or more"));
  for (Comment& c : lexer_.comments()) {
    pending_.push_back(c);
    Spend(1);
  }
  lexer_.comments().clear();
}

bool Parser::Accept(std::string_view text) {
  if (!At(text)) return false;
  Advance();
  return true;
}

bool Parser::Expect(std::string_view text, std::string_view after) {
  return Accept(text) || Expected(ir::Cat("`", text, "` after ", after));
}

// The statement goes on on another line, because a bracket is open: what is
// missing is missing at the end of the line before.
bool Parser::LineEnded() const {
  return cur_.first_on_line && cur_.kind != TokenKind::kEnd &&
         prev_.span.line > 0 && prev_.kind != TokenKind::kNewline;
}

bool Parser::Expected(std::string_view what, std::string help) {
  ir::Span span = cur_.span;
  std::string found = Describe(cur_);
  if (LineEnded()) {
    span = prev_.span;
    span.column += span.length;
    span.length = 1;
    found = "the end of the line";
  }
  Error("syntax/expected", span, ir::Cat("expected ", what, ", found ", found))
      .help = std::move(help);
  return false;
}

bool Parser::AtEndOfStatement() const {
  return cur_.kind == TokenKind::kNewline || cur_.kind == TokenKind::kEnd ||
         At(";") || At("}");
}

bool Parser::NewName(std::string_view what, std::string* name, ir::Span* span) {
  if (cur_.kind != TokenKind::kName) return Expected(what);
  if (cur_.dotted || IsKeyword(cur_.text)) {
    Error("syntax/keyword", cur_.span,
          ir::Cat(Quoted(cur_.text), " cannot be ", what,
                  cur_.dotted ? ": names have no dots"
                              : ": it is a word of the language"));
    return false;
  }
  *name = std::string(cur_.text);
  *span = cur_.span;
  Advance();
  return true;
}

ir::Span Parser::SpanFrom(const Token& first) const {
  ir::Span span = first.span;
  if (prev_.span.line == span.line && prev_.offset >= first.offset)
    span.length = prev_.span.column + prev_.span.length - span.column;
  return span;
}

// --- errors ----------------------------------------------------------------

ir::Diagnostic& Parser::Error(ir::Code code, ir::Span span,
                              std::string message) {
  if (stopped_) return dropped_;
  return diagnostics_.Error(code, span, std::move(message));
}

void Parser::Spend(int64_t nodes) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) TooLong("the file is too long");
}

void Parser::TooLong(std::string_view what) {
  Error("syntax/too-long", cur_.span, ir::Cat(what, ": reading stopped here"));
  Stop();
}

void Parser::CountScalar() {
  if (++scalars_ > kMaxScalars)
    TooLong(ir::Cat("a kernel has more than ", kMaxScalars, " scalars"));
}

void Parser::Stop() {
  stopped_ = true;
  cur_ = next_ = Token{};
}

// Goes to the end of the statement. A brace on the way opens a block whose
// statements are worth checking; a token that starts a line is taken as the
// next statement (a bracket was left open).
void Parser::Recover(size_t statement_start) {
  lexer_.ForgetBrackets();
  while (cur_.kind != TokenKind::kEnd) {
    if (AtEndOfStatement()) return;
    if (cur_.first_on_line && cur_.offset != statement_start) return;
    // What stands there is not missing.
    if (block_depth_ == 0) has_grid_ |= At("grid"), has_block_ |= At("block");
    if (At("{")) {
      ir::Block scratch;
      ir::Stmt s;
      Block(&scratch, &s.comments.open, &s.comments.end);
    } else {
      Advance();
    }
    lexer_.ForgetBrackets();
  }
}

void Parser::SkipBraces() {
  int depth = 1;
  while (depth > 0 && cur_.kind != TokenKind::kEnd) {
    if (At("{")) ++depth;
    if (At("}")) --depth;
    Advance();
    pending_.clear();
  }
}

// --- comments --------------------------------------------------------------

// All that stand before an offset. Blank lines only between others.
std::vector<std::string> Parser::TakeComments(size_t before) {
  std::vector<std::string> out;
  size_t n = 0;
  for (; n < pending_.size() && pending_[n].offset < before; ++n) {
    bool blank = pending_[n].text.empty();
    if (blank && !out.empty() && out.back().empty()) continue;
    out.emplace_back(pending_[n].text);
  }
  pending_.erase(pending_.begin(), pending_.begin() + n);
  return out;
}

// A comment that shares its line with tokens before it.
std::string Parser::TakeSameLine(size_t before) {
  if (pending_.empty() || pending_[0].own_line || pending_[0].offset >= before)
    return "";
  std::string out(pending_[0].text);
  pending_.erase(pending_.begin());
  return out;
}

// Comments inside a statement move above it, except the one at its end.
void Parser::AttachTrailing() {
  if (last_ == nullptr) return;
  std::vector<std::string> inside;
  size_t n = 0;
  for (; n < pending_.size() && pending_[n].offset < cur_.offset; ++n) {
    if (pending_[n].text.empty()) continue;
    if (!last_->after.empty()) inside.push_back(std::move(last_->after));
    last_->after = std::string(pending_[n].text);
  }
  pending_.erase(pending_.begin(), pending_.begin() + n);
  last_->above.insert(last_->above.end(), inside.begin(), inside.end());
}

// --- the file --------------------------------------------------------------

ir::Program Parser::Run() {
  while (cur_.kind == TokenKind::kNewline) Advance();
  bool empty = cur_.kind == TokenKind::kEnd;
  while (cur_.kind != TokenKind::kEnd) {
    if (!Start()) {
      // To the next line that starts something: braces do not match here.
      do {
        Advance();
        lexer_.ForgetBrackets();
        pending_.clear();
      } while (cur_.kind != TokenKind::kEnd &&
               !((At("kernel") || At("fn")) && cur_.first_on_line));
    }
    while (cur_.kind == TokenKind::kNewline || At(";")) Advance();
  }
  bool whole = diagnostics_.errors() == errors_before_;
  bool wanted = holds_ == Holds::kProgram || (holds_ == Holds::kAny && empty);
  if (wanted && whole && program_.kernels.empty()) Expected("`kernel`");
  program_.comments.end = TakeComments(cur_.offset);
  return std::move(program_);
}

// Includes, then functions, then kernels. False: nothing of these starts here.
bool Parser::Start() {
  last_ = nullptr;
  bool kernels = !program_.kernels.empty();
  if (At("include") && !kernels && program_.functions.empty()) {
    Include();
  } else if (At("fn") && !kernels) {
    Function();
  } else if (At("kernel") && holds_ != Holds::kFunctions) {
    Kernel();
  } else if (At("kernel")) {
    Error("syntax/placement", cur_.span, "an included file has functions only")
        .help = "several kernels of a program stand in one file";
    return false;
  } else if (At("fn") || At("include")) {
    Error("syntax/placement", cur_.span,
          ir::Cat("`", cur_.text, "` stands below what may use it"))
        .help = "includes come first, then functions, then kernels";
    return false;
  } else {
    return Expected(holds_ == Holds::kFunctions ? "`fn`" : "`kernel`");
  }
  return true;
}

void Parser::Kernel() {
  Token first = cur_;
  if (program_.kernels.size() >= kMaxKernels) {
    TooLong(ir::Cat("the file has more than ", kMaxKernels, " kernels"));
    return;
  }
  ir::Kernel& kernel = program_.kernels.emplace_back();
  kernel_ = &kernel;
  runtime_.clear();
  scalars_ = 0;
  has_grid_ = has_block_ = false;
  kernel.comments.above = TakeComments(cur_.offset);
  Advance();
  if (!KernelHeader()) {
    while (!At("{") && !AtEndOfStatement()) Advance();
  }
  kernel.span = SpanFrom(first);
  if (!At("{")) {
    Expected("`{` of the kernel");
    return;
  }
  Token open = cur_;
  Advance();
  if (cur_.kind == TokenKind::kNewline)
    kernel.comments.open = TakeSameLine(cur_.offset);
  block_ = &kernel.body;
  Statements(/*declarations=*/true);
  kernel.comments.end = TakeComments(cur_.offset);
  if (!Accept("}")) {
    Error("syntax/unclosed", open.span,
          ir::Cat("the `{` of kernel `", kernel.name, "` is never closed"));
  } else {
    last_ = &kernel.comments;
    if (cur_.kind == TokenKind::kNewline) AttachTrailing();
  }
  CheckKernelIsComplete(first);
}

bool Parser::KernelHeader() {
  if (!NewName("the kernel's name", &kernel_->name, &kernel_->span))
    return false;
  if (!Expect("target", "the kernel's name")) return false;
  std::optional<ir::Target> target = ir::TargetNamed(cur_.text);
  if (!target) {
    ir::Diagnostic& d = Error("name/target", cur_.span,
                              ir::Cat(Describe(cur_), " is not a target"));
    d.help = ir::Cat("targets are `", ir::NamesOf(ir::kOnAll, "` and `"), "`");
    return false;
  }
  kernel_->target = *target;
  Advance();
  kernel_->programmatic = Accept("programmatic");
  return true;
}

void Parser::CheckKernelIsComplete(const Token& first) {
  // A header that failed says nothing about what follows.
  if (kernel_->name.empty()) return;
  auto missing = [&](std::string_view what, std::string_view example) {
    Error("syntax/missing", first.span,
          ir::Cat("kernel ", Quoted(kernel_->name), " has no `", what, "`"))
        .help = ir::Cat("say how it is launched: `", example, "`");
  };
  if (!has_grid_) missing("grid", "grid (1)");
  if (!has_block_) missing("block", "block 128");
}

void Parser::Statements(bool declarations) {
  while (true) {
    while (cur_.kind == TokenKind::kNewline || At(";")) Advance();
    if (At("}") || cur_.kind == TokenKind::kEnd) return;
    Statement(declarations);
  }
}

void Parser::Statement(bool declarations) {
  size_t start = cur_.offset;
  above_ = TakeComments(start);
  last_ = nullptr;
  Spend(kStmtNodes);
  bool ok = Dispatch(declarations) && EndStatement();
  if (ok) return;
  size_t before = cur_.offset;
  Recover(start);
  // Always make progress: a token no statement can begin with.
  if (cur_.offset == before && cur_.offset == start && !At("}")) Advance();
}

bool Parser::Dispatch(bool declarations) {
  if (cur_.kind != TokenKind::kName) return Expected("a statement");
  for (const Keyword* k = kStatements; !k->text.empty(); ++k) {
    if (cur_.text == k->text) return (this->*k->handler)();
  }
  for (const Keyword* k = kDeclarations; !k->text.empty(); ++k) {
    if (cur_.text != k->text) continue;
    return declarations ? (this->*k->handler)() : Misplaced();
  }
  bool call = CallAhead() && ir::OpNamed(cur_.text) == nullptr;
  if (call) return CallStmt();
  if (next_.is("=") && !cur_.dotted) return Assign();
  if (next_.is(",") && !cur_.dotted && ir::OpNamed(cur_.text) == nullptr)
    return CallStmt();
  return OpStmt();
}

bool Parser::EndStatement() {
  if (!AtEndOfStatement())
    return Expected("the end of the statement",
                    cur_.kind == TokenKind::kName && !LineEnded()
                        ? "a statement ends with its line, or with `;`"
                        : "");
  if (cur_.kind == TokenKind::kNewline || At(";")) AttachTrailing();
  return true;
}

bool Parser::Block(ir::Block* out, std::string* open,
                   std::vector<std::string>* end) {
  Token brace = cur_;
  if (!At("{")) return Expected("`{`");
  Advance();
  if (block_depth_ >= kMaxBlockDepth) {
    Error("syntax/too-deep", brace.span,
          ir::Cat("blocks are nested more than ", kMaxBlockDepth, " deep"));
    SkipBraces();
    return true;
  }
  if (cur_.kind == TokenKind::kNewline) *open = TakeSameLine(cur_.offset);
  ir::Block* outer = std::exchange(block_, out);
  ++block_depth_;
  Statements(/*declarations=*/false);
  --block_depth_;
  block_ = outer;
  *end = TakeComments(cur_.offset);
  if (Accept("}")) return true;
  Error("syntax/unclosed", brace.span, "this `{` is never closed");
  return false;
}

}  // namespace tilesim::frontend
