#include "checkers/cause/moved_text.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Expr;
using ir::Span;
using ir::Stmt;

namespace {

// Of each kind.
constexpr size_t kMostChanges = 12;

}  // namespace

void AddDeclared(const Stmt& s, Names& names) {
  if (s.kind == Stmt::Kind::kLet)
    names.push_back({s.name, s.slot, ir::NameKind::kLet});
  if (s.kind == Stmt::Kind::kVar)
    names.push_back({s.name, s.slot, ir::NameKind::kVar});
}

void Walk(Block& block, Names& names,
          const std::function<void(Stmt&, const Names&)>& visit) {
  const size_t outside = names.size();
  for (Stmt& s : block) {
    visit(s, names);
    const size_t here = names.size();
    if (s.kind == Stmt::Kind::kFor)
      names.push_back({s.name, s.slot, ir::NameKind::kLoop});
    Walk(s.body, names, visit);
    Walk(s.orelse, names, visit);
    names.resize(here);
    AddDeclared(s, names);
  }
  names.resize(outside);
}

bool Move(Expr& e, const ir::Kernel& kernel, const Names& names) {
  if (ir::SlotOf(e) >= 0) {
    const auto at =
        std::find_if(names.rbegin(), names.rend(),
                     [&](const Visible& v) { return v.name == e.name; });
    const auto of_kernel = [&](const auto& decls) {
      return std::any_of(decls.begin(), decls.end(),
                         [&](const auto& d) { return d.name == e.name; });
    };
    if (at != names.rend()) {
      e.slot = at->slot;
      e.name_kind = at->kind;
    } else if (!of_kernel(kernel.params) && !of_kernel(kernel.constants)) {
      return false;
    }
  }
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](Expr& arg) { return Move(arg, kernel, names); });
}

Stmt OpStmt(const ir::OpInfo* info, const Span& span) {
  Stmt out;
  out.kind = Stmt::Kind::kOp;
  out.span = span;
  ir::Op& op = out.op.emplace();
  op.info = info;
  op.mods.assign(info->mods.size(), 0);
  op.operands.resize(info->operands.size());
  op.span = span;
  return out;
}

void Change(const machine::Code& code, const Span& place, std::string help,
            const std::function<bool(Stmt&, const Names&)>& how,
            std::vector<Rewrite>& out) {
  if (out.size() >= kMostChanges) return;
  Rewrite r{code.kernel(), std::move(help), ""};
  bool done = false;
  Names names;
  Walk(r.kernel.body, names, [&](Stmt& s, const Names& known) {
    if (!done && SamePlace(s.span, place)) done = how(s, known);
  });
  if (done) out.push_back(std::move(r));
}

}  // namespace tilesim::checkers::cause
