#include "checkers/pipeline/written_waits.h"

#include <algorithm>
#include <utility>

#include "checkers/proof/condition.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

bool Mentions(const Expr& e, int32_t slot) {
  return ir::SlotOf(e) == slot ||
         std::any_of(e.args.begin(), e.args.end(),
                     [=](const Expr& arg) { return Mentions(arg, slot); });
}

// The scalar that the condition says is 0 (`!ok`, `ok == 0`), or is not (`ok`,
// `ok != 0`, `ok == 1`); -1: it says something else.
int32_t Told(const Expr& e, bool zero) {
  if (!zero && e.kind == ExprKind::kName) return ir::SlotOf(e);
  if (zero && e.kind == ExprKind::kUnary && e.op == ExprOp::kNot)
    return ir::SlotOf(e.args[0]);
  if (e.kind != ExprKind::kBinary) return -1;
  const bool is = e.op == ExprOp::kEq, is_not = e.op == ExprOp::kNe;
  const bool to_0 = e.args[1].is_int(0), to_1 = e.args[1].is_int(1);
  const bool says = zero ? (is && to_0) || (is_not && to_1)
                         : (is_not && to_0) || (is && to_1);
  return says ? ir::SlotOf(e.args[0]) : -1;
}

// The scalar that gets the answer of the op, which asks for the same barrier
// and phase whatever that is; -1: it is none.
int32_t AskedBy(const Stmt& s) {
  if (s.kind != Stmt::Kind::kOp ||
      s.op->info->kind != ir::OpKind::kMbarrierTestWait)
    return -1;
  const int32_t slot = ir::SlotOf(s.op->operands[0].expr);
  for (size_t i = 1; i < s.op->operands.size(); ++i) {
    ir::Operand operand = s.op->operands[i];
    bool other = false;
    ir::ForEachExpr(operand, [&](Expr& e) { other |= Mentions(e, slot); });
    if (other) return -1;
  }
  return slot;
}

// The loop goes on until the scalar is 1, and does nothing else.
bool AsksUntilYes(const Stmt& s, int32_t slot) {
  const bool only =
      s.body.size() == 1 || !proof::IsJudged(proof::Condition::kAsksOnly);
  if (only && Told(s.value, true) == slot) return true;
  const Stmt& last = s.body.back();
  return s.body.size() == 2 && s.value.is_int(1) &&
         last.kind == Stmt::Kind::kIf && last.orelse.empty() &&
         last.body.size() == 1 && last.body[0].kind == Stmt::Kind::kBreak &&
         Told(last.value, false) == slot;
}

// Both are ordered and scoped in the same words.
bool SameModifiers(const ir::OpInfo& a, const ir::OpInfo& b) {
  return std::equal(a.mods.begin(), a.mods.end(), b.mods.begin(), b.mods.end(),
                    [](const ir::ModSpec& x, const ir::ModSpec& y) {
                      return x.choices.data() == y.choices.data();
                    });
}

// if ok == 0 { mbarrier.wait ..; ok = 1 }
bool Wait(Stmt& s) {
  if (s.kind != Stmt::Kind::kWhile || s.body.empty()) return false;
  const int32_t slot = AskedBy(s.body[0]);
  const ir::OpInfo& wait = ir::InfoOf(ir::OpKind::kMbarrierWait);
  if (slot < 0 || !AsksUntilYes(s, slot) ||
      !SameModifiers(wait, *s.body[0].op->info))
    return false;
  Stmt yes;
  yes.kind = Stmt::Kind::kAssign;
  yes.name = s.body[0].op->operands[0].expr.name;
  yes.slot = slot;
  yes.value = Expr::Int(1, s.span);
  yes.span = s.span;
  ir::Op& op = *s.body[0].op;
  op.info = &wait;
  op.operands.erase(op.operands.begin());
  s.body.resize(1);
  s.body.push_back(std::move(yes));
  s.kind = Stmt::Kind::kIf;
  return true;
}

}  // namespace

std::optional<ir::Program> WithWaits(const ir::Program& program) {
  ir::Program out = program;
  bool any = false;
  for (ir::Kernel& kernel : out.kernels)
    ir::ForEachStmt(kernel.body, [&](Stmt& s) { any |= Wait(s); });
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline
