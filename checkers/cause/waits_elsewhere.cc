#include "checkers/cause/waits_elsewhere.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checkers/cause/moved_text.h"
#include "ir/cat.h"
#include "ir/ops/mbarrier.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Stmt;
using ir::ops::MbarrierWait;

namespace {

bool WaitsFor(const Stmt& s, int32_t decl) {
  return s.op && s.op->info == &MbarrierWait::kInfo &&
         s.op->operands[MbarrierWait::kBar].ref.decl == decl;
}

// Issues something that completes at an mbarrier, or arrives at one: what a
// wait may be missing before.
bool Signals(const Stmt& s) {
  if (!s.op || s.op->info == &MbarrierWait::kInfo) return false;
  const auto& specs = s.op->info->operands;
  for (size_t i = 0; i < specs.size(); ++i) {
    if ((specs[i].types & ir::kTakesBarrier) != 0 &&
        s.op->operands[i].kind == ir::Operand::Kind::kRef)
      return true;
  }
  return false;
}

// Behind the lets that a loop's body begins with.
Block::iterator PlaceIn(Block& body) {
  return std::find_if(body.begin(), body.end(),
                      [](const Stmt& s) { return s.kind != Stmt::Kind::kLet; });
}

// The wait with the words of another loop, where those mean something.
bool MoveWait(Stmt& wait, const ir::Kernel& kernel, const Names& names) {
  bool known = true;
  ir::ForEachExpr(
      wait, [&](ir::Expr& e) { known = known && Move(e, kernel, names); });
  return known;
}

bool InsertInto(Stmt& loop, Stmt wait, const ir::Kernel& kernel, Names names) {
  names.push_back({loop.name, loop.slot, ir::NameKind::kLoop});
  const auto place = PlaceIn(loop.body);
  for (auto s = loop.body.begin(); s != place; ++s) AddDeclared(*s, names);
  if (!MoveWait(wait, kernel, names)) return false;
  loop.body.insert(place, std::move(wait));
  return true;
}

}  // namespace

std::vector<Rewrite> WaitsAsElsewhere(const machine::Code& code) {
  std::vector<const Stmt*> loops;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::kFor && ir::Contains(s.body, Signals))
      loops.push_back(&s);
  });
  std::vector<Rewrite> out;
  for (const Stmt* loop : loops) {
    for (const Stmt* other : loops) {
      if (loop == other || loop->name != other->name) continue;
      for (const Stmt& wait : other->body) {
        if (!wait.op || wait.op->info != &MbarrierWait::kInfo) continue;
        const ir::Ref& barrier = wait.op->operands[MbarrierWait::kBar].ref;
        if (ir::Contains(loop->body, [&](const Stmt& s) {
              return WaitsFor(s, barrier.decl);
            }))
          continue;
        const size_t known = out.size();
        Change(
            code, loop->span,
            ir::Cat("wait for `", barrier.name, "` in the loop on line ",
                    loop->span.text_line(), " too, as line ",
                    wait.op->span.text_line(), " does"),
            [&](Stmt& copy, const Names& names) {
              return InsertInto(copy, wait, code.kernel(), names);
            },
            out);
        if (out.size() > known) out.back().family = "arrival-count";
      }
    }
  }
  return out;
}

}  // namespace tilesim::checkers::cause
