#include <utility>

#include "ir/cat.h"
#include "ptx/text/parser.h"

namespace tilesim::ptx {

std::optional<Module> Parse(const ir::Source& source,
                            ir::Diagnostics& diagnostics) {
  size_t before = diagnostics.errors();
  Module module = Parser(source.text, diagnostics).Run();
  if (diagnostics.errors() != before) return std::nullopt;
  return module;
}

Parser::Parser(std::string_view text, ir::Diagnostics& diagnostics)
    : diagnostics_(diagnostics), lexer_(text, diagnostics) {
  next_ = lexer_.Next();
  Advance();
}

Module Parser::Run() {
  Header();
  while (!AtKind(Token::Kind::kEnd)) TopLevel();
  return std::move(module_);
}

void Parser::Advance() {
  ++consumed_;
  prev_ = cur_;
  cur_ = next_;
  next_ = lexer_.Next();
}

bool Parser::Accept(std::string_view text) {
  if (!At(text)) return false;
  Advance();
  return true;
}

ir::Diagnostic& Parser::Error(ir::Code code, ir::Span span,
                              std::string message) {
  return diagnostics_.Error(code, span, std::move(message));
}

bool Parser::Expected(std::string_view what, std::string_view help) {
  // What the lexer could not read it has told of.
  if (AtKind(Token::Kind::kBad)) return false;
  ir::Diagnostic& d =
      Error("syntax/expected", cur_.span,
            ir::Cat("expected ", what, ", found ", Describe(cur_)));
  d.help = help;
  return false;
}

bool Parser::Expect(std::string_view text, std::string_view after) {
  return Accept(text) || Expected(ir::Cat("`", text, "` after ", after));
}

bool Parser::Name(std::string_view what, std::string* out) {
  if (!AtKind(Token::Kind::kName)) return Expected(what);
  *out = cur_.text;
  Advance();
  return true;
}

bool Parser::Count(std::string_view what, uint64_t* out) {
  std::optional<Number> n;
  if (AtKind(Token::Kind::kNumber)) n = ReadNumber(cur_.text);
  if (!n || n->kind != Number::Kind::kInteger) return Expected(what);
  *out = n->bits;
  Advance();
  return true;
}

// A missing `;` is pointed at where it should stand.
bool Parser::EndStatement(std::string_view after) {
  if (Accept(";")) return true;
  if (AtKind(Token::Kind::kBad)) return false;
  if (!cur_.first_on_line && !AtKind(Token::Kind::kEnd))
    return Expected(ir::Cat("`;` after ", after));
  ir::Span span = prev_.span;
  span.column += span.length - 1;
  span.length = 1;
  Error("syntax/expected", span, ir::Cat("expected `;` after ", after)).help =
      "end the line with `;`";
  return false;
}

void Parser::Header() {
  bool good = Version() && Target();
  if (!good) RecoverOutside();
  if (good && Accept(".address_size") &&
      !Count("32 or 64", &module_.address_size))
    RecoverOutside();
}

bool Parser::Version() {
  constexpr std::string_view kHelp =
      "a PTX module begins with `.version 8.7`, `.target sm_90a`";
  if (!At(".version")) return Expected("`.version`", kHelp);
  Advance();
  if (!AtKind(Token::Kind::kNumber)) return Expected("a number such as 8.7");
  module_.version = cur_.text;
  Advance();
  return true;
}

bool Parser::Target() {
  if (!Accept(".target"))
    return Expected("`.target` after `.version`",
                    "name what the kernels are for: `.target sm_90a`");
  do {
    std::string target;
    if (!Name("a target such as sm_90a", &target)) return false;
    module_.targets.push_back(std::move(target));
  } while (Accept(","));
  return true;
}

void Parser::Push(Module::Item::Kind kind, size_t size_after) {
  module_.items.push_back({kind, size_after - 1});
}

void Parser::TopLevel() {
  if (!TopLevelItem()) RecoverOutside();
}

// After an error outside of functions: on to the next line that can begin
// something, but past at least one token.
void Parser::RecoverOutside() {
  Advance();
  while (!AtKind(Token::Kind::kEnd)) {
    if (cur_.first_on_line && AtKind(Token::Kind::kDot) &&
        (At(".entry") || At(".func") || At(".visible") || At(".extern") ||
         At(".weak") || At(".global") || At(".const") || At(".section") ||
         At(".file")))
      return;
    Advance();
  }
}

bool Parser::TopLevelItem() {
  if (At(".section")) return SectionOf();
  if (At(".file")) return FileOf();
  if (At(".alias")) return AliasOf();
  if (At(".pragma")) {
    Directive d;
    if (!DirectiveOf(&d)) return false;
    module_.directives.push_back(std::move(d));
    Push(Module::Item::Kind::kDirective, module_.directives.size());
    return true;
  }
  if (At(";")) {  // ptxas takes it, too
    Advance();
    return true;
  }
  return Linked();
}

bool Parser::FileOf() {
  File f;
  Advance();
  if (!Count("the index of the file", &f.index)) return false;
  if (!AtKind(Token::Kind::kString)) return Expected("the name of the file");
  f.name = cur_.text;
  Advance();
  while (Accept(",")) {
    f.stamp.emplace_back();
    if (!Constant(&f.stamp.back())) return false;
  }
  module_.files.push_back(std::move(f));
  Push(Module::Item::Kind::kFile, module_.files.size());
  return true;
}

bool Parser::AliasOf() {
  Alias a;
  Advance();
  if (!Name("a function", &a.name) || !Expect(",", "the alias") ||
      !Name("the function that it names", &a.of) || !EndStatement("`.alias`"))
    return false;
  module_.aliases.push_back(std::move(a));
  Push(Module::Item::Kind::kAlias, module_.aliases.size());
  return true;
}

bool Parser::SectionOf() {
  Section s;
  Advance();
  if (!AtKind(Token::Kind::kDot) && !AtKind(Token::Kind::kName))
    return Expected("the name of the section");
  s.name = cur_.text;
  Advance();
  ir::Span open = cur_.span;
  if (!Expect("{", "the name of the section")) return false;
  if (!SectionLines(&s)) {
    Error("syntax/unclosed", open, "the section is never closed").help =
        "end it with `}`";
    return false;
  }
  module_.sections.push_back(std::move(s));
  Push(Module::Item::Kind::kSection, module_.sections.size());
  return true;
}

// Whatever stands between the braces, line by line.
bool Parser::SectionLines(Section* s) {
  while (!At("}")) {
    if (AtKind(Token::Kind::kEnd)) return false;
    if (cur_.first_on_line || s->lines.empty()) s->lines.emplace_back();
    s->lines.back().emplace_back(cur_.text);
    Advance();
  }
  Advance();
  return true;
}

}  // namespace tilesim::ptx
