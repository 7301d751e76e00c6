// Declarations of memory.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/parser.h"
#include "frontend/suggest.h"
#include "ir/cat.h"

namespace tilesim::frontend {
namespace {

// Element types as C++, NumPy, MLIR and PyTorch call them.
constexpr std::pair<std::string_view, std::string_view> kElsewhere[] = {
    {"float", "f32"},     {"float32", "f32"},      {"fp32", "f32"},
    {"half", "f16"},      {"float16", "f16"},      {"fp16", "f16"},
    {"bfloat16", "bf16"}, {"float8_e4m3", "e4m3"}, {"float8_e4m3fn", "e4m3"},
    {"e4m3fn", "e4m3"},   {"float8_e5m2", "e5m2"}, {"i8", "s8"},
    {"int8", "s8"},       {"uint8", "u8"},         {"i32", "s32"},
    {"int", "s32"},       {"int32", "s32"},        {"uint", "u32"},
    {"uint32", "u32"},    {"i64", "s64"},          {"int64", "s64"},
    {"uint64", "u64"},
};

// "`i32` is `s32` here", or "" of a name that is none elsewhere either.
std::string TypeHere(std::string_view name) {
  for (const auto& [there, here] : kElsewhere) {
    if (there == name) return ir::Cat("`", there, "` is `", here, "` here");
  }
  return "";
}

}  // namespace

void Parser::PushDecl(ir::Decl d) {
  Spend(8);
  kernel_->decls.push_back(std::move(d));
  if (kernel_->decls.size() > kMaxDecls)
    TooLong(ir::Cat("a kernel has more than ", kMaxDecls, " declarations"));
}

// NAME [n, ...]
bool Parser::DeclName(ir::Decl* d) {
  if (!NewName("a name", &d->name, &d->span)) return false;
  if (!Accept("[")) return true;
  return ExprList("]", &d->array);
}

// dtype [e, ...]
bool Parser::Type(ir::Decl* d) {
  if (!ElementType(d)) return false;
  if (!Accept("[")) return Expected("`[` and the shape");
  return ExprList("]", &d->shape);
}

bool Parser::ElementType(ir::Decl* d) {
  if (cur_.kind != TokenKind::kName) return Expected("an element type");
  std::optional<ir::DType> dtype = values::FindDType(cur_.text);
  if (!dtype) {
    std::vector<std::string_view> names;
    for (const values::DTypeInfo& info : values::kDTypes)
      names.push_back(info.name);
    ir::Diagnostic& diagnostic =
        Error("name/dtype", cur_.span,
              ir::Cat(Quoted(cur_.text), " is not an element type"));
    diagnostic.help = TypeHere(cur_.text);
    if (diagnostic.help.empty()) diagnostic.help = DidYouMean(cur_.text, names);
    if (diagnostic.help.empty())
      diagnostic.help = ir::Cat("types are ", Alternatives(names));
    return false;
  }
  d->dtype = *dtype;
  Advance();
  return true;
}

// The `:` behind the only name that a line of `word` may declare.
bool Parser::OneName(std::string_view word, const ir::Decl& d) {
  if (!At(",")) return Expect(":", "the name");
  return Expected("`:` after the name", EachOnItsLine(word, d.name));
}

// At a comma: what to write for `name` and for what follows.
std::string Parser::EachOnItsLine(std::string_view word,
                                  std::string_view name) const {
  std::string_view next =
      next_.kind == TokenKind::kName ? next_.text : std::string_view("NAME");
  return ir::Cat("a `", word, "` line declares one name: `", word, " ", name,
                 " : ...`, and below it `", word, " ", next, " : ...`");
}

bool Parser::Global() {
  ir::Decl d;
  d.space = ir::Space::kGlobal;
  Advance();
  if (!DeclName(&d) || !OneName("global", d)) return false;
  if (!d.array.empty()) {
    Error("syntax/array", d.span,
          ir::Cat("`", d.name, "` is an array of tensors"))
        .help = "give the tensor one more dimension instead";
    return false;
  }
  if (!Type(&d) || !Attributes(&d, {"stride", "in", "zero", "undefined"}))
    return false;
  if (d.zero && d.undefined) {
    Error("syntax/duplicate", d.span,
          ir::Cat("`", d.name, "` is both zeros and undefined at first"));
    return false;
  }
  PushDecl(std::move(d));
  PushItem(ir::Item::Kind::kDecls, kernel_->decls.size() - 1);
  return true;
}

bool Parser::Shared() {
  ir::Decl d;
  d.space = ir::Space::kShared;
  Advance();
  if (!DeclName(&d) || !OneName("shared", d) || !Type(&d)) return false;
  if (!Attributes(&d, {"swizzle", "align", "at"})) return false;
  PushDecl(std::move(d));
  PushItem(ir::Item::Kind::kDecls, kernel_->decls.size() - 1);
  return true;
}

bool Parser::Mbarrier() {
  Advance();
  size_t first = kernel_->decls.size();
  do {
    ir::Decl d;
    d.space = ir::Space::kMbarrier;
    if (!DeclName(&d)) return false;
    if (Accept("at") && !PlacementOf(&d)) return false;
    PushDecl(std::move(d));
  } while (Accept(","));
  PushItem(ir::Item::Kind::kDecls, first, kernel_->decls.size() - first);
  return true;
}

bool Parser::Tmem() {
  ir::Decl d;
  d.space = ir::Space::kTmem;
  Advance();
  if (!DeclName(&d) || !OneName("tmem", d)) return false;
  if (At("columns")) {
    if (!TmemPool(&d)) return false;
  } else {
    if (!Type(&d) || !Attributes(&d, {"at"})) return false;
    if (!d.at) {
      Error("syntax/missing", d.span,
            ir::Cat("`", d.name, "` lies in no allocation"))
          .help = ir::Cat("say where: `tmem ", d.name,
                          " : ... at POOL`, with `tmem POOL : columns N slot "
                          "SHARED`");
      return false;
    }
  }
  PushDecl(std::move(d));
  PushItem(ir::Item::Kind::kDecls, kernel_->decls.size() - 1);
  return true;
}

// columns e slot SHARED
bool Parser::TmemPool(ir::Decl* d) {
  Advance();
  if (!d->array.empty()) {
    Error("syntax/array", d->span,
          ir::Cat("`", d->name, "` is an array of allocations"))
        .help = "declare each one";
    return false;
  }
  d->columns.emplace();
  if (!Expr(&*d->columns)) return false;
  if (!Expect("slot", "the number of columns")) return false;
  if (cur_.kind != TokenKind::kName || cur_.dotted)
    return Expected("the shared word for the address");
  d->slot = std::string(cur_.text);
  Advance();
  return true;
}

// reg NAME [n, ...], ... : type. A statement each, all of that type.
bool Parser::Reg() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kDecl);
  Token first = cur_;
  Advance();
  std::vector<ir::Decl> names;
  do {
    if (!DeclName(&names.emplace_back())) return false;
  } while (Accept(","));
  ir::Decl type;
  type.space = ir::Space::kReg;
  if (!Expect(":", "the name") || !Type(&type) || !FragmentOf(&type))
    return false;
  s.span = SpanFrom(first);
  for (ir::Decl& name : names) {
    ir::Decl d = type;
    d.name = std::move(name.name);
    d.array = std::move(name.array);
    d.span = name.span;
    s.decl_id = static_cast<int32_t>(kernel_->decls.size());
    s.decl = d;
    PushDecl(std::move(d));
    Push(s);
    s.comments = {};
    s.joined = true;
  }
  return true;
}

// fragment wgmma, fragment blocked(V)
bool Parser::FragmentOf(ir::Decl* d) {
  std::vector<std::string_view> names;
  for (const ir::FragmentInfo& info : ir::kFragments)
    names.push_back(info.name);
  if (!Accept("fragment"))
    return Expected("`fragment` after the type",
                    ir::Cat("who holds what of it: ", Alternatives(names),
                            "; `tilesim explain fragment/row` draws one"));
  std::optional<ir::Fragment> fragment = ir::FragmentNamed(cur_.text);
  if (!fragment) {
    Error("name/fragment", cur_.span,
          ir::Cat(Describe(cur_), " is not a fragment layout"))
        .help = ir::Cat("there are ", Alternatives(names));
    return false;
  }
  d->fragment = *fragment;
  Advance();
  if (*fragment != ir::Fragment::kBlocked) return true;
  return Expect("(", "`blocked`") && Expr(&d->fragment_arg) &&
         Expect(")", "the number of neighbours");
}

bool Parser::Attributes(ir::Decl* d, std::vector<std::string_view> allowed) {
  std::vector<std::string_view> seen;
  while (!AtEndOfStatement()) {
    std::string_view name = cur_.text;
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      ir::Diagnostic& e = Error(
          "syntax/expected", cur_.span,
          ir::Cat("expected ", Alternatives(allowed),
                  " or the end of the declaration, found ", Describe(cur_)));
      e.help = At(",") ? EachOnItsLine(Name(d->space), d->name)
                       : DidYouMean(name, allowed);
      return false;
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      Error("syntax/duplicate", cur_.span,
            ir::Cat("`", name, "` is given twice"));
      return false;
    }
    seen.push_back(name);
    Advance();
    if (!Attribute(d, name)) return false;
  }
  return true;
}

bool Parser::Attribute(ir::Decl* d, std::string_view name) {
  if (name == "zero") return d->zero = true;
  if (name == "undefined") return d->undefined = true;
  if (name == "swizzle") return SwizzleOf(d);
  if (name == "at") return PlacementOf(d);
  if (name == "align") return Expr(&d->align.emplace());
  if (name == "stride") {
    if (!Accept("(")) return Expected("`(` and the strides");
    return ExprList(")", &d->strides);
  }
  return Expr(&d->domain_low.emplace()) && Expect("..", "the smallest value") &&
         Expr(&d->domain_high.emplace());
}

bool Parser::SwizzleOf(ir::Decl* d) {
  std::optional<ir::Swizzle> swizzle = ir::SwizzleNamed(cur_.text);
  if (!swizzle) {
    Error("name/swizzle", cur_.span,
          ir::Cat(Describe(cur_), " is not a swizzle"))
        .help = "swizzles are `32B`, `64B` and `128B`";
    return false;
  }
  d->swizzle = *swizzle;
  Advance();
  return true;
}

// at BASE [i, ...] [+ e]
bool Parser::PlacementOf(ir::Decl* d) {
  ir::Placement& at = d->at.emplace();
  if (cur_.kind != TokenKind::kName || cur_.dotted)
    return Expected("what it lies on");
  at.base = std::string(cur_.text);
  at.span = cur_.span;
  Advance();
  if (Accept("[") && !ExprList("]", &at.index)) return false;
  return !Accept("+") || Expr(&at.offset);
}

}  // namespace tilesim::frontend
