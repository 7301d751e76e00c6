#include "checkers/pipeline/joined_scopes.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "ir/printer.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Stmt;

namespace {

// The same for all threads of a CTA.
bool IsOfPlaces(const Expr& e) {
  if (e.kind == ExprKind::kName) {
    const bool number =
        e.name_kind == NameKind::kParam || e.name_kind == NameKind::kConst;
    const bool place = e.name_kind == NameKind::kBuiltin &&
                       e.slot >= static_cast<int>(Builtin::kCtaX) &&
                       e.slot < static_cast<int>(Builtin::kCtaX) + 3;
    const bool extent = e.name_kind == NameKind::kBuiltin &&
                        e.slot >= static_cast<int>(Builtin::kGridX) &&
                        e.slot < static_cast<int>(Builtin::kGridX) + 3;
    return number || place || extent;
  }
  return std::all_of(e.args.begin(), e.args.end(), IsOfPlaces);
}

// As they are written: places in the text say nothing.
bool SameScopes(const std::vector<ir::Scope>& a,
                const std::vector<ir::Scope>& b) {
  return ir::ToString(a) == ir::ToString(b);
}

// if C { thread 0 { .. } } else { thread 0 { .. } }
void TakeIn(Stmt& s) {
  const auto alone = [](const Block& block) {
    return block.size() == 1 && block[0].kind == Stmt::Kind::kScope;
  };
  if (s.kind != Stmt::Kind::kIf || !alone(s.body) || !IsOfPlaces(s.value) ||
      (!s.orelse.empty() &&
       (!alone(s.orelse) || !SameScopes(s.orelse[0].scopes, s.body[0].scopes))))
    return;
  Stmt inner = s;
  Stmt outer = std::move(s.body[0]);
  inner.body = std::move(outer.body);
  if (!inner.orelse.empty()) {
    Block body = std::move(inner.orelse[0].body);
    inner.orelse = std::move(body);
  }
  outer.body = {std::move(inner)};
  s = std::move(outer);
}

void Join(Block& block, const OneThread& threads) {
  Block out;
  for (Stmt& s : block) {
    OneThread inside = threads;
    for (const ir::Scope& scope : s.scopes) inside.Enter(scope);
    Join(s.body, inside);
    Join(s.orelse, inside);
    TakeIn(s);
    inside = threads;
    for (const ir::Scope& scope : s.scopes) inside.Enter(scope);
    const bool follows = !s.scopes.empty() && !out.empty() &&
                         out.back().kind == Stmt::Kind::kScope &&
                         SameScopes(out.back().scopes, s.scopes) &&
                         inside.is() && !threads.is();
    if (!follows) {
      out.push_back(std::move(s));
      continue;
    }
    std::move(s.body.begin(), s.body.end(),
              std::back_inserter(out.back().body));
  }
  block = std::move(out);
}

}  // namespace

void JoinScopes(ir::Kernel& kernel) { Join(kernel.body, OneThread(kernel)); }

}  // namespace tilesim::checkers::pipeline
