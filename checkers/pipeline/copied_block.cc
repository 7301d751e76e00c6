#include "checkers/pipeline/copied_block.h"

#include <map>
#include <utility>

#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::Stmt;

namespace {

// Copies of a statement stand at places of their own.
constexpr int32_t kColumns = 1000;

void Put(int32_t slot, const Expr& by, Expr& e) {
  if (ir::SlotOf(e) == slot) {
    const ir::Span span = e.span;
    e = by;
    e.span = span;
    return;
  }
  for (Expr& arg : e.args) Put(slot, by, arg);
}

void Rename(const std::map<int32_t, int32_t>& slots, Expr& e) {
  const auto own = slots.find(ir::SlotOf(e));
  if (own != slots.end()) e.slot = own->second;
  for (Expr& arg : e.args) Rename(slots, arg);
}

// Scalars that it declares.
void Own(const Stmt& s, ir::Kernel& kernel, std::map<int32_t, int32_t>& slots) {
  const bool declares = s.kind == Stmt::Kind::kLet ||
                        s.kind == Stmt::Kind::kVar ||
                        s.kind == Stmt::Kind::kFor;
  if (declares) {
    slots[s.slot] = kernel.slots++;
    kernel.slot_names.push_back(s.name);
  }
  for (const Block* block : {&s.body, &s.orelse}) {
    for (const Stmt& inner : *block) Own(inner, kernel, slots);
  }
}

}  // namespace

void Replace(int32_t slot, const Expr& by, Block& block) {
  ir::ForEachStmt(block, [&](Stmt& s) {
    ir::ForEachExpr(s, [&](Expr& e) { Put(slot, by, e); });
  });
}

Block CopyOf(Block block, int64_t nth, ir::Kernel& kernel) {
  std::map<int32_t, int32_t> slots;
  for (const Stmt& s : block) Own(s, kernel, slots);
  const int32_t moved = static_cast<int32_t>(nth) * kColumns;
  ir::ForEachStmt(block, [&](Stmt& s) {
    s.span.column += moved;
    if (s.op) s.op->span.column += moved;
    const auto own = slots.find(s.slot);
    if (own != slots.end()) s.slot = own->second;
    ir::ForEachExpr(s, [&](Expr& e) { Rename(slots, e); });
  });
  return block;
}

void OneThread::Enter(const ir::Scope& s) {
  using Kind = ir::Scope::Kind;
  if (s.also) {  // others besides: together they are several
    one_warp_ = one_thread_ = always_ = false;
    return;
  }
  const bool one = !s.range && s.low.kind == ir::ExprKind::kInt;
  if (s.kind == Kind::kThreads && one) one_thread_ = true;
  if (s.kind == Kind::kWarps && one) one_warp_ = true;
  const bool lane = s.kind == Kind::kElect || (s.kind == Kind::kLanes && one);
  if (lane && (one_warp_ || s.one)) one_thread_ = true;
  if (s.kind != Kind::kElect && !one) always_ = false;
}

}  // namespace tilesim::checkers::pipeline
