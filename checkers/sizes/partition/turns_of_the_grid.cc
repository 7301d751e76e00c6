#include "checkers/sizes/partition/turns_of_the_grid.h"

#include <cstdint>
#include <string>
#include <utility>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

namespace {

bool IsBuiltin(const Expr& e, int32_t which) {
  return e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin &&
         e.slot == which;
}

// From the CTA's place along one dimension of the grid in steps of that.
bool IsOverTheGrid(const Stmt& s) {
  if (s.kind != Stmt::Kind::kFor || !s.step) return false;
  if (!proof::IsJudged(proof::Condition::kBelowGrid) &&
      s.low.name_kind == NameKind::kBuiltin &&
      s.step->name_kind == NameKind::kBuiltin)
    return true;
  for (int32_t d = 0; d < 3; ++d) {
    if (IsBuiltin(s.low, static_cast<int32_t>(Builtin::kCtaX) + d))
      return IsBuiltin(*s.step, static_cast<int32_t>(Builtin::kGridX) + d);
  }
  return false;
}

// `t / grid.x`, `(t - cta.x) / grid.x` or `t % grid.x`, t the counter.
bool AsksForTurn(const Expr& e, const Stmt& loop) {
  const bool divides = e.kind == ExprKind::kBinary &&
                       (e.op == ExprOp::kDiv || e.op == ExprOp::kRem) &&
                       e.args[1] == *loop.step &&
                       IsBuiltin(e.args[1], loop.step->slot);
  if (!divides) return false;
  const Expr& of = e.args[0];
  const auto is_counter = [&](const Expr& name) {
    return name.kind == ExprKind::kName && name.name_kind == NameKind::kLoop &&
           name.slot == loop.slot;
  };
  if (is_counter(of)) return true;
  return e.op == ExprOp::kDiv && of.kind == ExprKind::kBinary &&
         of.op == ExprOp::kSub && is_counter(of.args[0]) &&
         IsBuiltin(of.args[1], loop.low.slot);
}

bool Contains(const Expr& e, const Stmt& loop) {
  if (AsksForTurn(e, loop)) return true;
  for (const Expr& arg : e.args) {
    if (Contains(arg, loop)) return true;
  }
  return false;
}

// What was the counter is a let.
void Replace(Expr& e, const Stmt& loop, const Expr& turn) {
  if (AsksForTurn(e, loop)) {
    Expr by = e.op == ExprOp::kDiv ? turn : loop.low;
    by.span = e.span;
    e = std::move(by);
    return;
  }
  const bool counter = e.kind == ExprKind::kName &&
                       e.name_kind == NameKind::kLoop && e.slot == loop.slot;
  if (counter) e.name_kind = NameKind::kLet;
  for (Expr& arg : e.args) Replace(arg, loop, turn);
}

Expr RoundedUp(Expr a, Expr b) {
  Expr out;
  out.kind = ExprKind::kCall;
  out.name = "cdiv";
  out.span = a.span;
  out.args = {std::move(a), std::move(b)};
  return out;
}

void Rewrite(Stmt& loop, ir::Kernel& kernel) {
  const std::string name = ir::Cat("turn#", loop.span.text_line());
  kernel.slot_names.push_back(name);
  const Expr turn = NameOf(NameKind::kLoop, name, kernel.slots++, loop.span);
  ir::ForEachStmt(loop.body, [&](Stmt& s) {
    ir::ForEachExpr(s, [&](Expr& e) { Replace(e, loop, turn); });
  });
  Stmt let;
  let.kind = Stmt::Kind::kLet;
  let.span = loop.span;
  let.name = std::exchange(loop.name, turn.name);
  let.slot = std::exchange(loop.slot, turn.slot);
  const Expr grid = *loop.step;
  let.value = Binary(ExprOp::kAdd, loop.low, Binary(ExprOp::kMul, turn, grid));
  loop.body.insert(loop.body.begin(), std::move(let));
  loop.high = RoundedUp(Binary(ExprOp::kSub, loop.high, loop.low), grid);
  loop.low = Expr::Int(0, loop.span);
  loop.step.reset();
}

}  // namespace

bool CountTurns(ir::Kernel& kernel) {
  bool any = false;
  ir::ForEachStmt(kernel.body, [&](Stmt& loop) {
    if (any || !IsOverTheGrid(loop)) return;
    ir::ForEachStmt(loop.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { any |= Contains(e, loop); });
    });
  });
  if (!any) return false;
  ir::ForEachStmt(kernel.body, [&](Stmt& s) {
    if (IsOverTheGrid(s)) Rewrite(s, kernel);
  });
  kernel.items.clear();  // they count statements
  return true;
}

}  // namespace tilesim::checkers::sizes::partition
