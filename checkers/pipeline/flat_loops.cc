#include "checkers/pipeline/flat_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/positive.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::NameOf;
using sizes::partition::Positive;

namespace {

bool IsLoop(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
}

bool CountsUp(const Stmt& s) {
  return s.kind == Stmt::Kind::kFor && s.low.is_int(0) &&
         (!s.step || s.step->is_int(1));
}

// Ends of loops from 0 on that stand in others.
void AddSteps(const Block& block, bool in_loop, std::set<std::string>& out) {
  for (const Stmt& s : block) {
    if (in_loop && CountsUp(s)) out.insert(ToString(s.high));
    AddSteps(s.body, in_loop || IsLoop(s), out);
    AddSteps(s.orelse, in_loop, out);
  }
}

// A statement that leaves the loop around these.
bool Leaves(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::kBreak) return true;
    return !IsLoop(s) && (Leaves(s.body) || Leaves(s.orelse));
  });
}

class Nesting {
 public:
  Nesting(const ir::Overrides& defines, ir::Kernel& kernel)
      : kernel_(kernel), positive_(defines, kernel) {
    for (const ir::Constant& c : kernel.constants) of_launch_.insert(c.slot);
    for (const ir::Param& p : kernel.params) of_launch_.insert(p.slot);
  }

  bool Nest() {
    AddSteps(kernel_.body, false, steps_);
    bool any = false;
    ir::ForEachStmt(kernel_.body, [&](Stmt& s) { any |= Nest(s); });
    return any;
  }

 private:
  bool Nest(Stmt& s) {
    if (!CountsUp(s) || Leaves(s.body)) return false;
    const Expr* end = &s.high;
    while (const Expr* let = positive_.LetOf(*end)) end = let;
    if (!IsBinary(*end, ExprOp::kMul)) return false;
    for (const size_t inner : {1, 0}) {
      const Expr tiles = end->args[1 - inner], steps = end->args[inner];
      // Parts by a number are digits, which are followed as they are.
      if ((steps_.contains(ToString(steps)) || !positive_.known().Of(steps)) &&
          OfLaunch(tiles) && OfLaunch(steps) && positive_.IsNatural(steps) &&
          IsTakenApart(s, steps)) {
        MakeTwo(s, tiles, steps);
        return true;
      }
    }
    return false;
  }

  // One number all through a launch, whichever CTA it is of.
  bool OfLaunch(const Expr& e) const {
    if (e.kind == ExprKind::kName && e.name_kind == NameKind::kBuiltin) {
      const auto which = static_cast<ir::Builtin>(e.slot);
      return which != ir::Builtin::kWarp && which != ir::Builtin::kWarpgroup;
    }
    if (e.kind == ExprKind::kName) return of_launch_.contains(e.slot);
    return std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return OfLaunch(arg); });
  }

  static bool IsPart(const Expr& e, ExprOp op, int32_t counter,
                     const Expr& steps) {
    return IsBinary(e, op) && ir::SlotOf(e.args[0]) == counter &&
           SameText(e.args[1], steps);
  }
  static bool HasPart(const Expr& e, int32_t counter, const Expr& steps) {
    return IsPart(e, ExprOp::kDiv, counter, steps) ||
           IsPart(e, ExprOp::kRem, counter, steps) ||
           std::any_of(e.args.begin(), e.args.end(), [&](const Expr& arg) {
             return HasPart(arg, counter, steps);
           });
  }
  static bool IsTakenApart(Stmt& loop, const Expr& steps) {
    bool any = false;
    ir::ForEachStmt(loop.body, [&](Stmt& s) {
      ir::ForEachExpr(s, [&](Expr& e) { any |= HasPart(e, loop.slot, steps); });
    });
    return any;
  }

  // Of natural numbers t and k < steps, t * steps + k is each number below
  // tiles * steps once, in this order, and t and k are its two parts.
  void MakeTwo(Stmt& s, const Expr& tiles, const Expr& steps) {
    const Expr t = Counter(s, "/"), k = Counter(s, "%");
    ir::ForEachStmt(s.body, [&](Stmt& inner) {
      ir::ForEachExpr(inner, [&](Expr& e) { Put(s.slot, steps, t, k, e); });
    });
    Stmt let;
    let.kind = Stmt::Kind::kLet;
    let.name = s.name;
    let.slot = s.slot;
    let.span = s.span;
    let.value = Binary(ExprOp::kAdd, Binary(ExprOp::kMul, t, steps), k);
    s.body.insert(s.body.begin(), std::move(let));
    Stmt inner = s;
    inner.name = k.name;
    inner.slot = k.slot;
    inner.high = steps;
    s.name = t.name;
    s.slot = t.slot;
    s.high = tiles;
    s.body.clear();
    s.body.push_back(std::move(inner));
  }

  Expr Counter(const Stmt& s, const char* part) {
    const std::string name = ir::Cat(s.name, part);
    kernel_.slot_names.push_back(name);
    return NameOf(NameKind::kLoop, name, kernel_.slots++, s.span);
  }

  static void Put(int32_t counter, const Expr& steps, const Expr& t,
                  const Expr& k, Expr& e) {
    const bool of = IsPart(e, ExprOp::kDiv, counter, steps);
    if (of || IsPart(e, ExprOp::kRem, counter, steps)) {
      const ir::Span span = e.span;
      e = of ? t : k;
      e.span = span;
      return;
    }
    for (Expr& arg : e.args) Put(counter, steps, t, k, arg);
  }

  ir::Kernel& kernel_;
  const Positive positive_;
  std::set<int32_t> of_launch_;
  std::set<std::string> steps_;
};

}  // namespace

bool NestFlatLoops(const ir::Overrides& defines, ir::Kernel& kernel) {
  return Nesting(defines, kernel).Nest();
}

}  // namespace tilesim::checkers::pipeline
