#include "checkers/cause/counters.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "ir/cat.h"
#include "ir/named.h"
#include "ir/ops/mbarrier.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Expr;
using ir::Span;
using ir::Stmt;
using ir::ops::MbarrierWait;

namespace {

constexpr size_t kMostStarts = 12;  // each is a run

bool IsLoop(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
}

// Of a variable that goes on from what it was in the loop.
bool StartsACounter(const Stmt& s, const Stmt& loop) {
  return (s.kind == Stmt::Kind::kVar || s.kind == Stmt::Kind::kAssign) &&
         s.value.kind == ir::ExprKind::kInt &&
         ir::Contains(loop.body, [&](const Stmt& other) {
           return other.kind == Stmt::Kind::kAssign && other.slot == s.slot &&
                  ir::Names(other.value, s.slot);
         });
}

bool WaitsAtABarrier(const Stmt& s) {
  return s.op && s.op->info == &MbarrierWait::kInfo;
}

// Takes what starts counters out of the loop at `at`, and sets them before it.
void StartOnce(Block& block, size_t at) {
  Block once;
  const Stmt loop = block[at];
  std::erase_if(block[at].body, [&](Stmt& s) {
    if (!StartsACounter(s, loop)) return false;
    if (s.kind == Stmt::Kind::kVar) once.push_back(s);
    return true;
  });
  block.insert(block.begin() + static_cast<int64_t>(at), once.begin(),
               once.end());
}

// Does it to the loop with that span.
bool StartOnce(Block& block, const Span& loop) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (IsLoop(block[i]) && SamePlace(block[i].span, loop)) {
      StartOnce(block, i);
      return true;
    }
    if (StartOnce(block[i].body, loop) || StartOnce(block[i].orelse, loop))
      return true;
  }
  return false;
}

}  // namespace

std::vector<Rewrite> CountersGoOn(const machine::Code& code) {
  std::vector<Rewrite> out;
  ir::ForEachStmt(code.kernel().body, [&](const Stmt& loop) {
    if (!IsLoop(loop) || !ir::Contains(loop.body, WaitsAtABarrier)) return;
    std::string names, lines;
    for (const Stmt& s : loop.body) {
      if (!StartsACounter(s, loop)) continue;
      ir::Append(&names, names.empty() ? "`" : ", `", s.name, "`");
      if (lines.empty()) ir::Append(&lines, s.span.text_line());
    }
    if (names.empty()) return;
    Rewrite r{code.kernel(), {}, "parity"};
    if (!StartOnce(r.kernel.body, loop.span)) return;
    r.help = ir::Cat(names, " on line ", lines,
                     " starts again with each turn of the loop on line ",
                     loop.span.text_line(),
                     "; the phases of a barrier go on: set it once, before "
                     "that loop");
    out.push_back(std::move(r));
  });
  return out;
}

namespace {

bool Reads(const Stmt& s, const std::string& name) {
  bool found = false;
  ir::ForEachName(s, [&](const std::string& n) { found |= n == name; });
  return found;
}

// The op returns a number to it.
bool Returns(const Stmt& s, const Stmt& variable) {
  return s.op && !s.op->operands.empty() &&
         s.op->operands[0].kind == ir::Operand::Kind::kExpr &&
         ir::SlotOf(s.op->operands[0].expr) == variable.slot;
}

bool Assigns(const Stmt& s, const Stmt& variable) {
  return s.kind == Stmt::Kind::kAssign && s.slot == variable.slot;
}

// Whether the loop asks for it, and it is what it was in the next turn. That a
// branch sets it again when it is as far as it may get does not advance it.
bool Stays(const Stmt& loop, const Stmt& variable) {
  const bool set =
      std::any_of(loop.body.begin(), loop.body.end(),
                  [&](const Stmt& s) { return Assigns(s, variable); });
  return !set && ir::Contains(loop.body, WaitsAtABarrier) &&
         ir::Contains(loop.body,
                      [&](const Stmt& s) { return Reads(s, variable.name); }) &&
         !ir::Contains(loop.body, [&](const Stmt& s) {
           return Returns(s, variable) ||
                  (Assigns(s, variable) && ir::Names(s.value, variable.slot));
         });
}

Stmt AdvanceOf(const Stmt& variable, const Span& span) {
  Stmt out;
  out.kind = Stmt::Kind::kAssign;
  out.name = variable.name;
  out.slot = variable.slot;
  out.span = span;
  Expr name = Expr::Int(0, span);
  name.kind = ir::ExprKind::kName;
  name.name_kind = ir::NameKind::kVar;
  name.name = variable.name;
  name.slot = variable.slot;
  out.value = Expr::Int(0, span);
  out.value.kind = ir::ExprKind::kBinary;
  out.value.op = ir::ExprOp::kAdd;
  out.value.args = {std::move(name), Expr::Int(1, span)};
  return out;
}

// Whether it goes on anywhere: then it is meant to, there.
bool GoesOn(const ir::Kernel& kernel, const Stmt& variable) {
  return ir::Contains(kernel.body, [&](const Stmt& s) {
    return Assigns(s, variable) && ir::Names(s.value, variable.slot);
  });
}

// Before what it is advanced: the branch that sets it again, or the end.
Block::const_iterator PlaceIn(const Block& body, const Stmt& variable) {
  return std::find_if(body.begin(), body.end(), [&](const Stmt& s) {
    return s.kind == Stmt::Kind::kIf && Reads(s, variable.name) &&
           ir::Contains(s.body,
                        [&](const Stmt& t) { return Assigns(t, variable); });
  });
}

class AdvanceSearch {
 public:
  explicit AdvanceSearch(const machine::Code& code) : code_(code) {}

  std::vector<Rewrite> All() {
    std::vector<const Stmt*> none;
    In(code_.kernel().body, none);
    return std::move(out_);
  }

 private:
  void In(const Block& block, std::vector<const Stmt*>& variables) {
    const size_t outside = variables.size();
    for (const Stmt& s : block) {
      In(s.body, variables);
      In(s.orelse, variables);
      if (s.kind == Stmt::Kind::kVar) variables.push_back(&s);
      if (!IsLoop(s)) continue;
      for (const Stmt* variable : variables) {
        if (Stays(s, *variable) && !GoesOn(code_.kernel(), *variable))
          Add(s, *variable);
      }
    }
    variables.resize(outside);
  }

  void Add(const Stmt& loop, const Stmt& variable) {
    if (out_.size() == kMostStarts) return;
    Rewrite r{code_.kernel(), {}, "parity"};
    ir::ForEachStmt(r.kernel.body, [&](Stmt& s) {
      if (IsLoop(s) && SamePlace(s.span, loop.span))
        s.body.insert(PlaceIn(s.body, variable), AdvanceOf(variable, s.span));
    });
    const auto before = PlaceIn(loop.body, variable);
    r.help = ir::Cat(
        "`", variable.name, "` is not advanced in the loop on line ",
        loop.span.text_line(),
        ", so that what goes by it, a slot or a parity, stays the same: `",
        variable.name, " = ", variable.name, " + 1` ",
        before == loop.body.end()
            ? "at the end of the loop"
            : ir::Cat("before line ", before->span.text_line()));
    r.label = {loop.span,
               ir::Cat("`", variable.name, "` is not advanced in this loop")};
    out_.push_back(std::move(r));
  }

  const machine::Code& code_;
  std::vector<Rewrite> out_;
};

}  // namespace

std::vector<Rewrite> CountersAdvance(const machine::Code& code) {
  return AdvanceSearch(code).All();
}

}  // namespace tilesim::checkers::cause
