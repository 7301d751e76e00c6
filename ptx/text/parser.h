// PTX text into a Module. Recursive descent; reports every error it finds and
// goes on after the statement. Nothing is resolved and no opcode is judged:
// what has the form of an instruction is one.
//
// parse_module.cc   what stands outside functions
// parse_decl.cc     variables, parameters, functions, directives
// parse_body.cc     statements
// parse_operand.cc  operands, constants
#ifndef TILESIM_PTX_TEXT_PARSER_H_
#define TILESIM_PTX_TEXT_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "ptx/text/lexer.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

// nullopt when `diagnostics` got an error.
std::optional<Module> Parse(const ir::Source& source,
                            ir::Diagnostics& diagnostics);

class Parser {
 public:
  Parser(std::string_view text, ir::Diagnostics& diagnostics);
  Module Run();

 private:
  // Tokens.
  void Advance();
  bool At(std::string_view text) const { return cur_.is(text); }
  bool AtKind(Token::Kind kind) const { return cur_.kind == kind; }
  bool Accept(std::string_view text);
  bool Expect(std::string_view text, std::string_view after);
  bool Name(std::string_view what, std::string* out);
  bool Count(std::string_view what, uint64_t* out);
  bool EndStatement(std::string_view after);

  // Errors. All return false.
  ir::Diagnostic& Error(ir::Code code, ir::Span span, std::string message);
  bool Expected(std::string_view what, std::string_view help = "");
  void Recover();
  void RecoverOutside();

  // The module.
  void Header();
  bool Version();
  bool Target();
  void TopLevel();
  bool TopLevelItem();
  bool SectionOf();
  bool SectionLines(Section* section);
  bool FileOf();
  bool AliasOf();
  void Push(Module::Item::Kind kind, size_t size_after);

  // Declarations.
  bool Linked();
  bool Attributes(std::string* out);
  bool VariableOf(Variable* v, bool is_param);
  bool VariableWord(Variable* v, bool* failed);
  bool PointerOf(Variable* v);
  bool Declarators(Variable* v, bool is_param);
  bool DeclaratorOf(Declarator* d, bool is_param);
  bool Dims(Declarator* d);
  bool Initial(Operand* out, int depth);
  bool InitialItem(Operand* out);
  bool InitialSymbol(Operand* out);
  bool Params(std::vector<Variable>* out);
  bool Directives(std::vector<Directive>* out);
  bool DirectiveOf(Directive* d);
  bool FunctionOf(Linkage linkage);

  // Bodies.
  bool Body(Function* f);
  void BodyStatement();
  bool StatementOf();
  bool LocOf(Loc* loc);
  bool LocRest(Loc* loc);
  bool LocPlace(Loc::Place* place);
  bool Labelled();
  bool PrototypeOf(Statement s);
  bool TargetsOf(Statement s);
  bool InstructionOf();
  bool GuardOf(Guard* guard);
  Statement& Add(Statement::Kind kind, ir::Span span);

  // Operands.
  bool Operands(Instruction* i);
  bool OperandOf(Operand* out);
  bool Single(Operand* out);
  bool NameOperand(Operand* out);
  bool Bracketed(Operand* out, std::string_view close, Operand::Kind kind);
  bool AddressOf(Operand* out);
  bool Offset(Operand* out);
  bool Constant(Number* out);
  bool Sum(Number* out);
  bool Product(Number* out);
  bool ConstantPrimary(Number* out);
  bool Nested(Number* out);

  ir::Diagnostics& diagnostics_;
  Lexer lexer_;
  Token cur_, next_;
  Token prev_;  // the last one consumed
  size_t consumed_ = 0;
  Module module_;
  std::vector<Statement>* body_ = nullptr;
  std::vector<ir::Span> open_;  // the `{` of this body that are open
  int depth_ = 0;               // of the constant that is read
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_TEXT_PARSER_H_
