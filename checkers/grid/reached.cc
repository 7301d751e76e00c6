#include "checkers/grid/reached.h"

#include <algorithm>
#include <cstdint>

#include "checkers/grid/text.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::NameKind;
using ir::Stmt;

namespace {

// The same threads in every CTA.
bool IsFixed(const std::vector<ir::Scope>& scopes) {
  return std::all_of(scopes.begin(), scopes.end(), [](const ir::Scope& s) {
    return s.kind == ir::Scope::Kind::kElect ||
           (OfConstants(s.low) && (!s.range || OfConstants(s.high)));
  });
}

}  // namespace

Reached::Reached(const ir::Kernel& kernel) {
  // As many threads in every launch.
  if (!OfConstants(kernel.block)) return;
  for (const ir::Constant& c : kernel.constants) {
    if (!c.is_let || IsPlain(c.value)) plain_.insert(c.slot);
  }
  Walk(kernel.body, {});
}

// Of sizes and the CTA's place in the grid: one number for all of its threads.
bool Reached::IsPlain(const Expr& e) const {
  if (e.kind == ExprKind::kFloat) return false;
  if (e.kind == ExprKind::kName) {
    switch (e.name_kind) {
      case NameKind::kParam:
        return true;
      case NameKind::kConst:
      case NameKind::kLet:
        return plain_.contains(e.slot);
      case NameKind::kBuiltin:
        return e.slot <= static_cast<int32_t>(Builtin::kGridZ);
      default:
        return false;
    }
  }
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return IsPlain(arg); });
}

void Reached::Walk(const ir::Block& block, const Path& path) {
  for (size_t i = 0; i < block.size(); ++i) {
    const Stmt& s = block[i];
    if (s.kind == Stmt::Kind::kLet && IsPlain(s.value)) plain_.insert(s.slot);
    if (s.op) paths_[&*s.op] = path;
    if (s.kind == Stmt::Kind::kScope && IsFixed(s.scopes)) Walk(s.body, path);
    if (s.kind == Stmt::Kind::kWhile) Poll(block, i, path);
    if (s.kind != Stmt::Kind::kIf || !IsPlain(s.value)) continue;
    for (bool holds : {true, false}) {
      Path inside = path;
      inside.emplace_back(&s.value, holds);
      Walk(holds ? s.body : s.orelse, inside);
    }
  }
}

// var f = 0, and nothing else sets it before the loop asks.
void Reached::Poll(const ir::Block& block, size_t at, const Path& path) {
  const Stmt& loop = block[at];
  if (loop.body.size() != 1 || !loop.body[0].op) return;
  const ir::Op& op = *loop.body[0].op;
  for (size_t i = at; i-- > 0;) {
    const Stmt& before = block[i];
    const std::set<int32_t> set = SetIn(before);
    const bool begins = before.kind == Stmt::Kind::kVar &&
                        before.value.is_int(0) && !op.operands.empty() &&
                        ir::SlotOf(op.operands[0].expr) == before.slot;
    if (begins) {
      paths_[&op] = path;
      return;
    }
    if (!op.operands.empty() && set.contains(ir::SlotOf(op.operands[0].expr)))
      return;
  }
}

}  // namespace tilesim::checkers::grid
