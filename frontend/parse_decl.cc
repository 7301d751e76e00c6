// Declarations: sizes, the reference result, the launch. Memory is in
// parse_memory.cc.
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
  if (!Accept(":"))
    return Expected("`:` after the parameter's name",
                    "which values are permitted comes first: `param N : 1.. = "
                    "64`; one that is fixed is a `const`");
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

// --- reference result, launch ----------------------------------------------

bool Parser::Computes() {
  Advance();
  ir::Computes c;
  if (!NewName("the tensor that is computed", &c.target, &c.span)) return false;
  if (!Expect("=", "the tensor")) return false;
  if (!TensorSum(&c.value)) return false;
  if (Accept("within") && !Expr(&c.tolerance.emplace())) return false;
  if (Accept("when") && !Expr(&c.when.emplace())) return false;
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
