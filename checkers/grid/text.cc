#include "checkers/grid/text.h"

#include <algorithm>

#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Expr;
using ir::Stmt;

namespace {

void AddSet(const Stmt& s, std::set<int32_t>& out) {
  if (s.slot >= 0) out.insert(s.slot);
  for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
    if (IsVariable(*s.op, i)) out.insert(s.op->operands[i].expr.slot);
  }
  // Of both branches: which one is executed may depend on sizes.
  for (const ir::Block* block : {&s.body, &s.orelse}) {
    for (const Stmt& inner : *block) AddSet(inner, out);
  }
}

}  // namespace

bool IsVariable(const ir::Op& op, size_t operand) {
  return (op.info->operands[operand].types & ir::kTakesVar) != 0 &&
         op.has(operand);
}

std::set<int32_t> SetIn(const Stmt& s) {
  std::set<int32_t> out;
  AddSet(s, out);
  return out;
}

std::set<int32_t> SetIn(const ir::Block& block) {
  std::set<int32_t> out;
  for (const Stmt& s : block) AddSet(s, out);
  return out;
}

// A jump inside an inner loop is that loop's.
bool Jumps(const ir::Block& body, Stmt::Kind kind) {
  return std::any_of(body.begin(), body.end(), [=](const Stmt& s) {
    if (s.kind == kind) return true;
    bool loop = s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    return !loop && (Jumps(s.body, kind) || Jumps(s.orelse, kind));
  });
}

bool EndsInJump(const ir::Block& block) {
  return !block.empty() && (block.back().kind == Stmt::Kind::kBreak ||
                            block.back().kind == Stmt::Kind::kContinue);
}

bool Mentions(const Expr& e, const std::set<int32_t>& slots) {
  return slots.count(ir::SlotOf(e)) != 0 ||
         std::any_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return Mentions(arg, slots); });
}

bool OfConstants(const ir::Expr& e) {
  if (e.kind == ir::ExprKind::kName) return e.name_kind == ir::NameKind::kConst;
  return std::all_of(e.args.begin(), e.args.end(), OfConstants);
}

}  // namespace tilesim::checkers::grid
