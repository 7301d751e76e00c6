// Declarations: sizes, memory, the reference result, the launch.
#include <algorithm>
#include <utility>

#include "frontend/parser.h"
#include "frontend/suggest.h"
#include "ir/cat.h"

namespace tilesim::frontend {

const Parser::Keyword Parser::kDeclarations[] = {
    {"param", &Parser::Param},       {"const", &Parser::Const},
    {"requires", &Parser::Requires}, {"global", &Parser::Global},
    {"shared", &Parser::Shared},     {"mbarrier", &Parser::Mbarrier},
    {"tmem", &Parser::Tmem},         {"computes", &Parser::Computes},
    {"grid", &Parser::Grid},         {"cluster", &Parser::Cluster},
    {"block", &Parser::BlockSize},   {"", nullptr}};

bool Parser::Misplaced() {
  Error("syntax/placement", cur_.span,
        ir::Cat("`", cur_.text, "` stands in a block"))
      .help = "declare it at the top level of the kernel";
  return false;
}

void Parser::PushItem(ir::Item::Kind kind, size_t first, size_t count) {
  ir::Item& item = kernel_->items.emplace_back();
  item.kind = kind;
  item.first = static_cast<int32_t>(first);
  item.count = static_cast<int32_t>(count);
  item.comments.above = std::move(above_);
  above_.clear();
  last_ = &item.comments;
}

// param M : 128.. step 128 = 4096
bool Parser::Param() {
  Advance();
  ir::Param p;
  p.text.written = true;
  if (!NewName("the parameter's name", &p.name, &p.span)) return false;
  if (!Expect(":", "the parameter's name")) return false;
  if (!Expr(&p.text.low)) return false;
  if (!Expect("..", "the smallest value")) return false;
  if (!At("step") && !At("=")) {
    p.text.high.emplace();
    if (!Expr(&*p.text.high)) return false;
  }
  if (Accept("step")) {
    p.text.step.emplace();
    if (!Expr(&*p.text.step)) return false;
  }
  if (!Accept("=")) return Expected("`=` and the parameter's default");
  if (!Expr(&p.text.value)) return false;
  kernel_->params.push_back(std::move(p));
  CountScalar();
  PushItem(ir::Item::Kind::kParam, kernel_->params.size() - 1);
  return true;
}

bool Parser::Const() {
  Advance();
  size_t first = kernel_->constants.size();
  do {
    if (!Constant(/*is_let=*/false)) return false;
  } while (Accept(","));
  PushItem(ir::Item::Kind::kConstants, first,
           kernel_->constants.size() - first);
  return true;
}

bool Parser::Constant(bool is_let) {
  ir::Constant c;
  c.is_let = is_let;
  if (!NewName(is_let ? "the name of the let" : "the constant's name", &c.name,
               &c.span)) {
    return false;
  }
  if (!Expect("=", "the name")) return false;
  if (!Expr(&c.value)) return false;
  kernel_->constants.push_back(std::move(c));
  CountScalar();
  Spend(2);
  return true;
}

// At the top level a let derives a size, unless it uses a var: then it is a
// statement.
bool Parser::TopLevelLet() {
  size_t first = kernel_->constants.size();
  if (!Constant(/*is_let=*/true)) return false;
  ir::Constant& c = kernel_->constants.back();
  if (!MentionsRuntime(c.value)) {
    PushItem(ir::Item::Kind::kConstants, first);
    return true;
  }
  runtime_.insert(c.name);
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kLet);
  s.name = std::move(c.name);
  s.value = std::move(c.value);
  s.span = c.span;
  kernel_->constants.pop_back();
  Push(std::move(s));
  return true;
}

bool Parser::MentionsRuntime(const ir::Expr& e) const {
  if (e.kind == ir::ExprKind::kName && runtime_.contains(e.name)) return true;
  return std::any_of(e.args.begin(), e.args.end(), [this](const ir::Expr& arg) {
    return MentionsRuntime(arg);
  });
}

bool Parser::Requires() {
  ir::Requirement r;
  Token first = cur_;
  Advance();
  if (!Expr(&r.condition)) return false;
  r.span = SpanFrom(first);
  kernel_->requirements.push_back(std::move(r));
  PushItem(ir::Item::Kind::kRequires, kernel_->requirements.size() - 1);
  return true;
}

// --- memory ----------------------------------------------------------------

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
  if (cur_.kind != TokenKind::kName) return Expected("an element type");
  std::optional<ir::DType> dtype = values::FindDType(cur_.text);
  if (!dtype) {
    std::vector<std::string_view> names;
    for (const values::DTypeInfo& info : values::kDTypes)
      names.push_back(info.name);
    ir::Diagnostic& diagnostic =
        Error("name/dtype", cur_.span,
              ir::Cat(Quoted(cur_.text), " is not an element type"));
    diagnostic.help = DidYouMean(cur_.text, names);
    if (diagnostic.help.empty())
      diagnostic.help = ir::Cat("types are ", Alternatives(names));
    return false;
  }
  d->dtype = *dtype;
  Advance();
  if (!Accept("[")) return Expected("`[` and the shape");
  return ExprList("]", &d->shape);
}

bool Parser::Global() {
  ir::Decl d;
  d.space = ir::Space::kGlobal;
  Advance();
  if (!DeclName(&d) || !Expect(":", "the name")) return false;
  if (!d.array.empty()) {
    Error("syntax/array", d.span,
          ir::Cat("`", d.name, "` is an array of tensors"))
        .help = "give the tensor one more dimension instead";
    return false;
  }
  if (!Type(&d) || !Attributes(&d, {"stride", "in", "zero"})) return false;
  PushDecl(std::move(d));
  PushItem(ir::Item::Kind::kDecls, kernel_->decls.size() - 1);
  return true;
}

bool Parser::Shared() {
  ir::Decl d;
  d.space = ir::Space::kShared;
  Advance();
  if (!DeclName(&d) || !Expect(":", "the name") || !Type(&d)) return false;
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
    PushDecl(std::move(d));
  } while (Accept(","));
  PushItem(ir::Item::Kind::kDecls, first, kernel_->decls.size() - first);
  return true;
}

bool Parser::Tmem() {
  ir::Decl d;
  d.space = ir::Space::kTmem;
  Advance();
  if (!DeclName(&d) || !Expect(":", "the name")) return false;
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

bool Parser::Reg() {
  ir::Stmt s = NewStmt(ir::Stmt::Kind::kDecl);
  Token first = cur_;
  Advance();
  ir::Decl d;
  d.space = ir::Space::kReg;
  if (!DeclName(&d) || !Expect(":", "the name") || !Type(&d)) return false;
  if (!FragmentOf(&d)) return false;
  s.span = SpanFrom(first);
  s.decl_id = static_cast<int32_t>(kernel_->decls.size());
  s.decl = d;
  PushDecl(std::move(d));
  Push(std::move(s));
  return true;
}

// fragment wgmma, fragment blocked(V)
bool Parser::FragmentOf(ir::Decl* d) {
  if (!Expect("fragment", "the type")) return false;
  std::vector<std::string_view> names;
  for (const ir::FragmentInfo& info : ir::kFragments)
    names.push_back(info.name);
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
      e.help = DidYouMean(name, allowed);
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

// --- reference result, launch ----------------------------------------------

bool Parser::Computes() {
  Advance();
  ir::Computes c;
  if (!NewName("the tensor that is computed", &c.target, &c.span)) return false;
  if (!Expect("=", "the tensor")) return false;
  if (!TensorSum(&c.value)) return false;
  if (Accept("within") && !Expr(&c.tolerance.emplace())) return false;
  kernel_->computes.push_back(std::move(c));
  PushItem(ir::Item::Kind::kComputes, kernel_->computes.size() - 1);
  return true;
}

// (e [, e [, e]])
bool Parser::Extents(std::vector<ir::Expr>* out) {
  Token word = cur_;
  Advance();
  if (!out->empty()) {
    Error("syntax/duplicate", word.span,
          ir::Cat("`", word.text, "` is given twice"));
    return false;
  }
  if (!Accept("(")) return Expected("`(` and the extents");
  if (!ExprList(")", out)) return false;
  if (out->size() <= 3) return true;
  Error("syntax/arguments", word.span,
        ir::Cat("`", word.text, "` has ", out->size(),
                " extents; there are x, y and z"));
  return false;
}

bool Parser::Grid() {
  has_grid_ = true;
  if (!Extents(&kernel_->grid)) return false;
  PushItem(ir::Item::Kind::kGrid, 0);
  return true;
}

bool Parser::Cluster() {
  if (!Extents(&kernel_->cluster)) return false;
  PushItem(ir::Item::Kind::kCluster, 0);
  return true;
}

// block 256 regs 168
bool Parser::BlockSize() {
  Token word = cur_;
  Advance();
  if (has_block_) {
    Error("syntax/duplicate", word.span, "`block` is given twice");
    return false;
  }
  has_block_ = true;
  if (!Expr(&kernel_->block)) return false;
  if (Accept("regs") && !Expr(&kernel_->regs.emplace())) return false;
  PushItem(ir::Item::Kind::kBlock, 0);
  return true;
}

}  // namespace tilesim::frontend
