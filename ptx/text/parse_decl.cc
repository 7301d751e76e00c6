#include <array>
#include <utility>

#include "ir/cat.h"
#include "ptx/text/parser.h"

namespace tilesim::ptx {
namespace {

constexpr int kMaxInitialDepth = 64;

constexpr std::pair<std::string_view, Linkage> kLinkages[] = {
    {".extern", Linkage::kExtern},
    {".visible", Linkage::kVisible},
    {".weak", Linkage::kWeak},
    {".common", Linkage::kCommon},
};

constexpr std::string_view kSpaces[] = {".global", ".const", ".shared",
                                        ".local",  ".param", ".reg",
                                        ".tex",    ".sreg"};

constexpr std::string_view kTypes[] = {
    ".b8",    ".b16",  ".b32",    ".b64",    ".b128",       ".u8",     ".u16",
    ".u32",   ".u64",  ".s8",     ".s16",    ".s32",        ".s64",    ".f16",
    ".f16x2", ".bf16", ".bf16x2", ".f32",    ".f64",        ".tf32",   ".e4m3",
    ".e5m2",  ".pred", ".texref", ".opaque", ".samplerref", ".surfref"};

template <typename List>
bool Holds(const List& list, std::string_view word) {
  for (std::string_view one : list) {
    if (one == word) return true;
  }
  return false;
}

// Directives that stand between the parameters and the body, and how many
// numbers they take at most.
constexpr std::pair<std::string_view, int> kDirectives[] = {
    {".maxnreg", 1},
    {".maxntid", 3},
    {".reqntid", 3},
    {".minnctapersm", 1},
    {".maxnctapersm", 1},
    {".maxclusterrank", 1},
    {".reqnctapercluster", 3},
    {".explicitcluster", 0},
    {".blocksareclusters", 0},
    {".noreturn", 0},
    {".abi_preserve", 1},
    {".abi_preserve_control", 1},
    {".pragma", 0},
};

const int* NumbersOf(std::string_view directive) {
  for (const auto& [name, numbers] : kDirectives) {
    if (name == directive) return &numbers;
  }
  return nullptr;
}

}  // namespace

const Directive* Function::Find(std::string_view directive) const {
  for (const Directive& d : signature.directives) {
    if (d.name == directive) return &d;
  }
  return nullptr;
}

// A function or variable, with its linkage before it.
bool Parser::Linked() {
  Linkage linkage = Linkage::kNone;
  for (const auto& [text, value] : kLinkages) {
    if (At(text)) linkage = value;
  }
  if (linkage != Linkage::kNone) Advance();
  if (At(".entry") || At(".func")) return FunctionOf(linkage);
  if (!Holds(kSpaces, cur_.text))
    return Expected("a kernel, a function or a variable",
                    linkage == Linkage::kNone
                        ? "outside of functions stand `.entry`, `.func`, "
                          "`.global`, `.shared`, `.const`, `.section`, `.file`"
                        : "");
  Variable v;
  v.linkage = linkage;
  if (!VariableOf(&v, false) || !EndStatement("the declaration")) return false;
  module_.variables.push_back(std::move(v));
  Push(Module::Item::Kind::kVariable, module_.variables.size());
  return true;
}

// .attribute(.managed), .attribute(.unified(1, 2)): kept as it is written.
bool Parser::Attributes(std::string* out) {
  Advance();
  if (!Expect("(", "`.attribute`")) return false;
  for (int open = 1; open > 0; Advance()) {
    if (AtKind(Token::Kind::kEnd) || At(";") || At("{"))
      return Expected("`)` after the attributes");
    open += At("(") ? 1 : At(")") ? -1 : 0;
    if (open > 0) out->append(cur_.text);
  }
  return true;
}

bool Parser::PointerOf(Variable* v) {
  v->is_pointer = true;
  if (At(".global") || At(".const") || At(".shared") || At(".local") ||
      At(".param")) {
    v->pointer_space = cur_.text;
    Advance();
  }
  if (!Accept(".align")) return true;
  return Count("the alignment", &v->pointer_align.emplace());
}

// One word of a declaration before its names. False, without an error: it is
// none.
bool Parser::VariableWord(Variable* v, bool* failed) {
  if (At(".attribute")) {
    *failed = !Attributes(&v->attributes);
  } else if (At(".align")) {
    Advance();
    *failed = !Count("the alignment", &v->align.emplace());
  } else if (At(".ptr")) {
    Advance();
    *failed = !PointerOf(v);
  } else if (At(".v2") || At(".v4") || At(".v8")) {
    v->vector = cur_.text;
    Advance();
  } else if (v->type.empty() && Holds(kTypes, cur_.text)) {
    v->type = cur_.text;
    Advance();
  } else {
    return false;
  }
  return true;
}

// .shared .align 16 .b8 x[64] up to its last name.
bool Parser::VariableOf(Variable* v, bool is_param) {
  v->space = cur_.text;
  Advance();
  bool failed = false;
  while (!failed && VariableWord(v, &failed)) {
  }
  if (failed) return false;
  if (v->type.empty())
    return Expected(ir::Cat("a type after `", v->space, "`"),
                    "types are .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, "
                    ".f32, .f64, .pred and their kin");
  return Declarators(v, is_param);
}

bool Parser::Declarators(Variable* v, bool is_param) {
  do {
    v->names.emplace_back();
    if (!DeclaratorOf(&v->names.back(), is_param)) return false;
  } while (!is_param && Accept(","));
  return true;
}

bool Parser::DeclaratorOf(Declarator* d, bool is_param) {
  d->span = cur_.span;
  if (!Name("a name", &d->name)) return false;
  if (!is_param && Accept("<")) {
    if (!Count("how many registers", &d->range.emplace()) ||
        !Expect(">", "the number of registers"))
      return false;
  }
  if (!Dims(d)) return false;
  if (is_param || !Accept("=")) return true;
  return Initial(&d->initial.emplace(), 0);
}

bool Parser::Dims(Declarator* d) {
  while (Accept("[")) {
    d->dims.emplace_back();
    if (Accept("]")) continue;
    Number n;
    if (!Constant(&n)) return false;
    d->dims.back() = n.bits;
    if (!Expect("]", "the size")) return false;
  }
  return true;
}

bool Parser::Initial(Operand* out, int depth) {
  out->span = cur_.span;
  if (!Accept("{")) return InitialItem(out);
  if (depth >= kMaxInitialDepth) {
    Error("syntax/too-deep", prev_.span, "braces nested too deep");
    return false;
  }
  out->kind = Operand::Kind::kVector;
  while (!At("}")) {
    out->parts.emplace_back();
    if (!Initial(&out->parts.back(), depth + 1)) return false;
    if (!Accept(",") && !At("}")) return Expected("`,` or `}` after a value");
  }
  Advance();
  return true;
}

// 4, 0f3f800000, symbol, symbol+4, generic(symbol)+4, 0xff(symbol)
bool Parser::InitialItem(Operand* out) {
  if (AtKind(Token::Kind::kNumber) && next_.is("(")) {
    if (!Constant(&out->mask.emplace())) return false;
    Advance();
    return InitialSymbol(out) && Expect(")", "the masked symbol");
  }
  if (AtKind(Token::Kind::kName)) return InitialSymbol(out);
  out->kind = Operand::Kind::kNumber;
  return Sum(&out->number);
}

// symbol+4, generic(symbol)+4
bool Parser::InitialSymbol(Operand* out) {
  out->generic = At("generic") && next_.is("(");
  if (out->generic) {
    Advance();
    Advance();
  }
  if (!Name("a symbol", &out->name)) return false;
  if (out->generic && !Expect(")", "the symbol")) return false;
  return Offset(out);
}

// ( parameter, ... ), if there is one.
bool Parser::Params(std::vector<Variable>* out) {
  if (!Accept("(")) return true;
  while (!At(")")) {
    if (!At(".param") && !At(".reg"))
      return Expected("`.param` or `.reg`", "each parameter begins with one");
    out->emplace_back();
    if (!VariableOf(&out->back(), true)) return false;
    if (!Accept(",") && !At(")"))
      return Expected("`,` or `)` after a parameter");
  }
  Advance();
  return true;
}

bool Parser::DirectiveOf(Directive* d) {
  d->name = cur_.text;
  d->span = cur_.span;
  Advance();
  if (d->name == ".pragma") {
    do {
      if (!AtKind(Token::Kind::kString)) return Expected("a string");
      d->strings.emplace_back(cur_.text);
      Advance();
    } while (Accept(","));
    return EndStatement("`.pragma`");
  }
  int most = *NumbersOf(d->name);
  for (int i = 0; i < most; ++i) {
    if (i > 0 && !Accept(",")) break;
    d->numbers.emplace_back();
    if (!Sum(&d->numbers.back())) return false;
  }
  return true;
}

bool Parser::Directives(std::vector<Directive>* out) {
  while (AtKind(Token::Kind::kDot) && NumbersOf(cur_.text) != nullptr) {
    out->emplace_back();
    if (!DirectiveOf(&out->back())) return false;
  }
  return true;
}

bool Parser::FunctionOf(Linkage linkage) {
  Function f;
  f.linkage = linkage;
  f.is_entry = At(".entry");
  Advance();
  if (At(".attribute") && !Attributes(&f.attributes)) return false;
  if (!f.is_entry && At("(") && !Params(&f.signature.returns)) return false;
  f.span = cur_.span;
  if (!Name("the name of the function", &f.name)) return false;
  f.has_params = At("(");
  if (!Params(&f.signature.params) || !Directives(&f.signature.directives))
    return false;
  if (At("{")) {
    // What its body lacks has been told; the next function can be read.
    Body(&f);
  } else if (!Accept(";")) {
    return Expected("`{`, `;` or a directive",
                    "known are .reqntid, .maxntid, .maxnreg, .minnctapersm, "
                    ".reqnctapercluster, .explicitcluster, .maxclusterrank, "
                    ".noreturn, .pragma");
  }
  module_.functions.push_back(std::move(f));
  Push(Module::Item::Kind::kFunction, module_.functions.size());
  return true;
}

}  // namespace tilesim::ptx
