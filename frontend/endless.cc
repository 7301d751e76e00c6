#include "frontend/endless.h"

#include <string>

#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

using ir::Expr;
using ir::Stmt;

// Whether the statement may give the variable another value.
bool Sets(const Stmt& s, int32_t slot) {
  if (s.kind == Stmt::Kind::kAssign && s.slot == slot) return true;
  if (!s.op) return false;
  for (size_t i = 0; i < s.op->operands.size(); ++i) {
    if ((s.op->info->operands[i].types & ir::kTakesVar) != 0 &&
        s.op->has(static_cast<int>(i)) && s.op->operands[i].expr.slot == slot)
      return true;
  }
  return false;
}

// Whether the expression may be another one in the next iteration. `names`
// gets its variables.
bool Changes(const Expr& e, const ir::Block& body, std::string& names) {
  const int32_t slot = ir::SlotOf(e);
  if (slot >= 0 && e.name_kind == ir::NameKind::kVar) {
    if (ir::Contains(body, [&](const Stmt& s) { return Sets(s, slot); }))
      return true;
    ir::Append(&names, names.empty() ? "`" : ", `", e.name, "`");
  }
  for (const Expr& arg : e.args) {
    if (Changes(arg, body, names)) return true;
  }
  return false;
}

// Leaves a loop, or may.
bool Leaves(const Stmt& s) {
  return s.kind == Stmt::Kind::kBreak || s.kind == Stmt::Kind::kReturn ||
         s.kind == Stmt::Kind::kCall;
}

}  // namespace

void CheckEnds(const Stmt& loop, ir::Diagnostics& diagnostics) {
  std::string names;
  if (loop.value.is_int(0) || ir::Contains(loop.body, Leaves) ||
      Changes(loop.value, loop.body, names))
    return;
  ir::Diagnostic& d = diagnostics.Error(
      "type/step", loop.value.span,
      names.empty()
          ? "no `break` leaves this loop, and its condition stays what it is"
          : ir::Cat("nothing in this loop changes ", names,
                    ": once it is entered it never ends"));
  d.help = names.empty() ? "leave it with `break`"
                         : "advance it in the loop, or leave that with `break`";
}

}  // namespace tilesim::frontend
