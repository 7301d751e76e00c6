// Recursive descent over the grammar of language.md. Reports every error it
// finds and goes on after the statement. A wrong op is left out of what it
// returns; after any other error that is only good for `fmt` to refuse.
//
// parser.cc        the file, kernels, blocks, comments, recovery
// parse_decl.cc    parameters, reference result, launch
// parse_memory.cc  declarations of memory
// parse_stmt.cc    control and scopes
// parse_op.cc      ops and their operands
// parse_fn.cc      includes, functions and their calls
// parse_expr.cc    expressions
// parse_tensor.cc  the right side of `computes`
#ifndef TILESIM_FRONTEND_PARSER_H_
#define TILESIM_FRONTEND_PARSER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/lexer.h"
#include "frontend/token.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::frontend {

inline constexpr int kMaxBlockDepth = 200;
inline constexpr int kMaxExprDepth = 500;
// What a file may hold, counted in expression nodes; bounds memory.
inline constexpr int64_t kMaxNodes = 1'000'000;
inline constexpr size_t kMaxKernels = 64;
// Of a kernel; later stages number both with 16 bits.
inline constexpr size_t kMaxDecls = 4096;
inline constexpr size_t kMaxScalars = 32000;

// Words that may not be names.
bool IsKeyword(std::string_view word);

class Parser {
 public:
  // What a file may hold: a program, what a program includes, or either.
  enum class Holds : uint8_t { kProgram, kFunctions, kAny };

  // Spans are those of `place`.
  Parser(std::string_view text, Holds holds, int32_t place,
         ir::Diagnostics& diagnostics);
  ir::Program Run();

  // Whether what Run returned lacks nothing but ops: then all its names have
  // their meaning.
  bool only_ops_missing() const {
    return !stopped_ && diagnostics_.errors() == errors_before_ + op_errors_;
  }

 private:
  // What a keyword at the start of a line begins. A handler returns false
  // after it has reported an error.
  using Handler = bool (Parser::*)();
  struct Keyword {
    std::string_view text;
    Handler handler;
  };
  static const Keyword kDeclarations[];
  static const Keyword kStatements[];

  // Tokens.
  void Advance();
  bool At(std::string_view text) const { return cur_.is(text); }
  bool Accept(std::string_view text);
  bool Expect(std::string_view text, std::string_view after);
  bool AtEndOfStatement() const;
  bool Expected(std::string_view what, std::string help = "");
  bool LineEnded() const;
  bool NewName(std::string_view what, std::string* name, ir::Span* span);
  ir::Span SpanFrom(const Token& first) const;

  // Errors.
  ir::Diagnostic& Error(ir::Code code, ir::Span span, std::string message);
  void Spend(int64_t nodes);
  void TooLong(std::string_view what);
  void CountScalar();
  void Stop();
  void Recover(size_t statement_start);
  void SkipBraces();

  // Comments.
  std::vector<std::string> TakeComments(size_t before);
  std::string TakeSameLine(size_t before);
  void AttachTrailing();

  // The file.
  bool Start();
  void Include();
  void Function();
  bool FunctionHeader(ir::Fn* f);
  bool FunctionParam(ir::FnParam* p);
  bool FunctionType(ir::FnParam* p);
  void Kernel();
  bool KernelHeader();
  void CheckKernelIsComplete(const Token& first);
  void Statements(bool declarations);
  void Statement(bool declarations);
  bool Dispatch(bool declarations);
  bool EndStatement();
  bool Block(ir::Block* out, std::string* open, std::vector<std::string>* end);
  bool Body(ir::Stmt* s);

  // Declarations.
  void PushItem(ir::Item::Kind kind, size_t first, size_t count = 1);
  bool Param();
  bool Const();
  bool Let();
  bool TopLevelLet();
  bool Constant(bool is_let);
  bool Requires();
  bool Global();
  bool Shared();
  bool Mbarrier();
  bool Tmem();
  bool Reg();
  bool Computes();
  bool Grid();
  bool Cluster();
  bool BlockSize();
  bool Extents(std::vector<ir::Expr>* out);
  bool DeclName(ir::Decl* d);
  bool OneName(std::string_view word, const ir::Decl& d);
  std::string EachOnItsLine(std::string_view word, std::string_view name) const;
  bool Type(ir::Decl* d);
  bool ElementType(ir::Decl* d);
  bool TmemPool(ir::Decl* d);
  bool FragmentOf(ir::Decl* d);
  bool Attributes(ir::Decl* d, std::vector<std::string_view> allowed);
  bool Attribute(ir::Decl* d, std::string_view name);
  bool SwizzleOf(ir::Decl* d);
  bool PlacementOf(ir::Decl* d);
  void PushDecl(ir::Decl d);

  // Statements.
  ir::Stmt NewStmt(ir::Stmt::Kind kind);
  void Push(ir::Stmt s);
  bool Var();
  bool Named(ir::Stmt s, ir::Call::Results how);
  bool NamedCall(ir::Stmt s, ir::Call::Results how);
  bool Valued(ir::Stmt s);
  bool Assign();
  bool For();
  bool LoopOfC();
  bool While();
  bool If();
  bool IfRest(ir::Stmt* s);
  bool Break();
  bool Continue();
  bool Role();
  bool ScopeStmt();
  bool Scopes(ir::Stmt* s);
  bool OneScope(ir::Stmt* s);
  bool Unite(ir::Stmt* s);
  bool ScopeBound(ir::Expr* out);
  bool AtUnion() const;
  bool CallAhead() const;
  bool Results(ir::Stmt* s, ir::Call::Results how);
  bool CallStmt();
  bool CallOf(ir::Stmt* s);
  bool Argument(ir::Operand* out);
  bool GoOnWith(const ir::Stmt& call, ir::Expr* out);
  bool Return();
  bool Misplaced();
  bool MentionsRuntime(const ir::Expr& e) const;

  // Ops.
  bool OpStmt();
  bool WholeOp();
  const ir::OpInfo* Mnemonic(const Token& name, std::string_view* rest);
  bool Modifiers(const Token& name, std::string_view rest, ir::Op* op);
  bool Modifier(const Token& name, std::string_view word, ir::Op* op,
                uint64_t* seen);
  bool Operands(ir::Op* op);
  bool KeywordOperand(ir::Op* op);
  bool PositionalOperand(ir::Op* op, size_t* next);
  bool OperandValue(const ir::OperandSpec& spec, ir::Operand* out);
  bool Reference(ir::Ref* out);
  bool Subscripts(ir::Ref* out);
  bool OneSubscript(ir::Subscript* out);
  bool AllThere(const ir::Op& op);

  // Expressions.
  bool Expr(ir::Expr* out);
  bool ExprList(std::string_view close, std::vector<ir::Expr>* out);
  bool Binary(int precedence, bool unites, ir::Expr* out);
  bool Unary(ir::Expr* out);
  bool NegativeLiteral(ir::Expr* out);
  bool Primary(ir::Expr* out);
  bool Number(ir::Expr* out);
  bool NameOrCall(ir::Expr* out);
  bool Call(const Token& name, ir::Expr* out);
  bool TooDeep(ir::Span span);
  bool TensorSum(ir::TensorExpr* out);
  bool TensorProduct(ir::TensorExpr* out);
  bool TensorPrimary(ir::TensorExpr* out);
  bool TensorCall(const Token& name, ir::TensorExpr* out);

  ir::Diagnostics& diagnostics_;
  const Holds holds_;
  const size_t errors_before_;
  size_t op_errors_ = 0;  // inside ops
  Lexer lexer_;
  Token cur_, next_;
  Token prev_;                    // the last one consumed
  std::vector<Comment> pending_;  // comments not attached yet
  ir::Diagnostic dropped_;        // takes errors after Stop
  bool stopped_ = false;
  int64_t nodes_ = 0;
  size_t scalars_ = 0;  // of this kernel
  bool has_grid_ = false, has_block_ = false;
  int block_depth_ = 0;
  bool unites_ = false;  // the next expression ends before a `|` and a scope
  int expr_depth_ = 0;
  int height_ = 0;  // of the expression parsed last
  int begun_height_ = 0;

  ir::Program program_;
  ir::Kernel* kernel_ = nullptr;
  ir::Fn* function_ = nullptr;      // that is being read
  std::optional<ir::Expr> begun_;   // the call an expression starts with
  ir::Block* block_ = nullptr;      // where statements go
  ir::Comments* last_ = nullptr;    // of what was added last
  std::vector<std::string> above_;  // comments above this statement
  std::set<std::string, std::less<>> runtime_;  // top-level vars and such lets
};

}  // namespace tilesim::frontend

#endif  // TILESIM_FRONTEND_PARSER_H_
