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

std::vector<Formula> ConditionsOf(const Path& path, Scalars& scalars) {
  std::vector<Formula> out;
  for (const auto& [condition, holds] : path) {
    Formula f = scalars.Condition(*condition);
    out.push_back(holds ? std::move(f) : solver::Not(f));
  }
  return out;
}

Reached::Reached(const ir::Kernel& kernel) {
  // As many threads in every launch.
  if (!OfConstants(kernel.block)) return;
  for (const ir::Constant& c : kernel.constants) {
    if (!c.is_let || IsPlain(c.value)) plain_.insert(c.slot);
  }
  Walk(kernel.body, {}, nullptr, paths_);
  for (const Stmt& s : kernel.body) {
    const bool whole = s.kind == Stmt::Kind::kFor &&
                       !Jumps(s.body, Stmt::Kind::kBreak) &&
                       !Jumps(s.body, Stmt::Kind::kContinue);
    if (whole) Walk(s.body, {}, nullptr, in_loops_);
  }
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

void Reached::Walk(const ir::Block& block, const Path& path, const At* around,
                   Paths& out) {
  for (size_t i = 0; i < block.size(); ++i) {
    const Stmt& s = block[i];
    const At at{&block, i, around};
    if (s.kind == Stmt::Kind::kLet && IsPlain(s.value)) plain_.insert(s.slot);
    if (s.op) out[&*s.op] = path;
    if (s.kind == Stmt::Kind::kScope && IsFixed(s.scopes))
      Walk(s.body, path, &at, out);
    if (s.kind == Stmt::Kind::kWhile) Poll(at, path, out);
    if (s.kind != Stmt::Kind::kIf || !IsPlain(s.value)) continue;
    for (bool holds : {true, false}) {
      Path inside = path;
      inside.emplace_back(&s.value, holds);
      Walk(holds ? s.body : s.orelse, inside, &at, out);
    }
  }
}

// var f = 0, in this block or around it, and nothing else sets it before the
// loop asks.
void Reached::Poll(const At& at, const Path& path, Paths& out) {
  const Stmt& loop = (*at.block)[at.index];
  if (loop.body.size() != 1 || !loop.body[0].op) return;
  const ir::Op& op = *loop.body[0].op;
  if (op.operands.empty()) return;
  const int32_t slot = ir::SlotOf(op.operands[0].expr);
  for (const At* in = &at; in != nullptr; in = in->around) {
    for (size_t i = in->index; i-- > 0;) {
      const Stmt& before = (*in->block)[i];
      const bool begins = before.kind == Stmt::Kind::kVar &&
                          before.value.is_int(0) && slot == before.slot;
      if (begins) {
        out[&op] = path;
        return;
      }
      if (SetIn(before).contains(slot)) return;
    }
  }
}

}  // namespace tilesim::checkers::grid
