#include "frontend/define_fns.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "frontend/elsewhere.h"
#include "frontend/suggest.h"
#include "ir/cat.h"
#include "ir/eval.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

using ParamKind = ir::FnParam::Kind;
using StmtKind = ir::Stmt::Kind;

class FnCheck {
 public:
  FnCheck(const std::vector<ir::Fn>& functions, size_t index,
          ir::Diagnostics& diagnostics)
      : functions_(functions),
        index_(index),
        f_(functions[index]),
        diagnostics_(diagnostics) {}

  void Run() {
    for (const ir::FnParam& p : f_.params) Declare(p.name, p.span);
    for (const ir::Stmt& s : f_.body) {
      if (s.kind == StmtKind::kReturn && &s != &f_.body.back()) {
        diagnostics_.Error("syntax/placement", s.span,
                           "`return` is the last statement of a function");
      }
    }
    Block(f_.body, false);
    for (const ir::FnParam& p : f_.params) {
      if (used_.contains(p.name)) continue;
      diagnostics_
          .Error("name/unused", p.span,
                 ir::Cat("`", f_.name, "` does not use `", p.name, "`"))
          .help = "leave it out, here and where it is called";
    }
  }

 private:
  void Declare(const std::string& name, ir::Span span) {
    auto [it, fresh] = params_.emplace(name, span);
    if (fresh) return;
    diagnostics_
        .Error("name/duplicate", span,
               ir::Cat("`", name, "` is already a parameter"))
        .labels.push_back({it->second, "declared here"});
  }

  const ir::FnParam* Param(const std::string& name) const {
    auto it =
        std::find_if(f_.params.begin(), f_.params.end(),
                     [&](const ir::FnParam& p) { return p.name == name; });
    return it == f_.params.end() ? nullptr : &*it;
  }

  void Block(const ir::Block& block, bool in_loop) {
    for (const ir::Stmt& s : block) Stmt(s, in_loop);
  }

  void Stmt(const ir::Stmt& s, bool in_loop) {
    ForEachName(s, [this](const std::string& name) { used_.insert(name); });
    ir::Stmt alone = s;
    alone.body.clear();
    alone.orelse.clear();
    ForEachDeclared(alone, [&](const std::string& name) {
      if (Param(name) != nullptr) Declare(name, s.span);
    });
    if (s.decl) tiles_.insert(s.decl->name);
    bool leaves = s.kind == StmtKind::kBreak || s.kind == StmtKind::kContinue;
    if (leaves && !in_loop) {
      diagnostics_.Error("scope/loop", s.span,
                         ir::Cat("a loop of `", f_.name,
                                 "` may be left here; this is in none"));
    }
    if (s.kind == StmtKind::kAssign) Assigned(s.name, s.span);
    if (s.call && s.call->how == ir::Call::Results::kAssign) {
      for (const std::string& name : s.call->names) Assigned(name, s.span);
    }
    if (s.op) Written(*s.op);
    Calls(alone);
    if (s.kind == StmtKind::kReturn) Returned(s);
    bool loop = s.kind == StmtKind::kFor || s.kind == StmtKind::kWhile;
    Block(s.body, in_loop || loop);
    Block(s.orelse, in_loop);
  }

  void Assigned(const std::string& name, ir::Span span) {
    const ir::FnParam* p = Param(name);
    if (p == nullptr || p->kind == ParamKind::kVar) return;
    diagnostics_
        .Error("type/assign", span,
               ir::Cat("`", name, "` is a parameter and cannot be assigned"))
        .help = ir::Cat("write `var ", name,
                        "` in the list of parameters: then it is a var of the "
                        "caller");
  }

  void Written(const ir::Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bool var = (op.info->operands[i].types & ir::kTakesVar) != 0;
      const ir::Operand& o = op.operands[i];
      if (!var) continue;
      if (o.kind == ir::Operand::Kind::kRef) {
        const ir::FnParam* p = Param(o.ref.name);
        if (p == nullptr || p->kind != ParamKind::kMemory)
          Assigned(o.ref.name, o.span);
      } else if (o.expr.kind == ir::ExprKind::kName) {
        Assigned(o.expr.name, o.span);
      }
    }
  }

  void Calls(ir::Stmt& s) {
    if (s.kind == StmtKind::kCall)
      FindFn(functions_, index_, s.name, s.span, diagnostics_);
    ForEachExpr(s, [this](ir::Expr& e) { Calls(e); });
  }

  void Calls(const ir::Expr& e) {
    for (const ir::Expr& arg : e.args) Calls(arg);
    if (e.kind != ir::ExprKind::kCall || IsBuiltin(e.name)) return;
    FindFn(functions_, index_, e.name, e.span, diagnostics_);
  }

  static bool IsBuiltin(const std::string& name) {
    auto all = ir::Functions();
    return name == "bytes" ||
           std::any_of(all.begin(), all.end(),
                       [&](const ir::Function& f) { return f.name == name; });
  }

  void Returned(const ir::Stmt& s) {
    for (const ir::Operand& o : s.call->args) {
      if (o.expr.kind != ir::ExprKind::kName) continue;
      const ir::FnParam* p = Param(o.expr.name);
      bool tile = tiles_.contains(o.expr.name) ||
                  (p != nullptr && p->kind == ParamKind::kMemory);
      if (!tile) continue;
      diagnostics_
          .Error("type/operand", o.span,
                 ir::Cat("`", o.expr.name,
                         "` is a tile; a function returns numbers"))
          .help = "let the caller declare the tile, and pass it";
    }
  }

  const std::vector<ir::Fn>& functions_;
  size_t index_;
  const ir::Fn& f_;
  ir::Diagnostics& diagnostics_;
  std::map<std::string, ir::Span> params_;
  std::set<std::string> used_, tiles_;
};

// What may have been meant by a function that there is not.
std::string HelpFor(std::string_view name,
                    const std::vector<std::string_view>& functions) {
  if (ir::OpNamed(name) != nullptr)
    return ir::Cat("`", name,
                   "` is an op: it begins a statement, and what it writes "
                   "stands first");
  std::string help = CalledHere(name);
  return help.empty() ? DidYouMean(name, functions) : help;
}

}  // namespace

const ir::Fn* FindFn(const std::vector<ir::Fn>& functions, size_t known,
                     std::string_view name, ir::Span span,
                     ir::Diagnostics& diagnostics) {
  std::vector<std::string_view> names = {"bytes"};
  for (const ir::Function& f : ir::Functions()) names.push_back(f.name);
  for (size_t i = 0; i < functions.size(); ++i) {
    const ir::Fn& f = functions[i];
    names.push_back(f.name);
    if (f.name != name) continue;
    if (i < known) return &f;
    ir::Diagnostic& d = diagnostics.Error(
        "name/recursion", span,
        i == known ? ir::Cat("`", name, "` calls itself")
                   : ir::Cat("`", name, "` stands below what calls it"));
    d.labels.push_back({f.span, "declared here"});
    d.help = i == known ? "functions are inlined: write a loop"
                        : "a function may call those above it";
    return nullptr;
  }
  diagnostics
      .Error("name/function", span,
             ir::Cat("there is no function `", name, "`"))
      .help = HelpFor(name, names);
  return nullptr;
}

void CheckFns(const std::vector<ir::Fn>& functions,
              ir::Diagnostics& diagnostics) {
  std::map<std::string_view, ir::Span> known;
  for (size_t i = 0; i < functions.size(); ++i) {
    auto [it, fresh] = known.emplace(functions[i].name, functions[i].span);
    if (!fresh) {
      diagnostics
          .Error("name/duplicate", functions[i].span,
                 ir::Cat("there are two functions `", functions[i].name, "`"))
          .labels.push_back({it->second, "the first"});
    }
    FnCheck(functions, i, diagnostics).Run();
  }
}

}  // namespace tilesim::frontend
