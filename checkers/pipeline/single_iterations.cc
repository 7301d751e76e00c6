#include "checkers/pipeline/single_iterations.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "checkers/pipeline/written_out.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/named.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Expr;
using ir::ExprOp;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::KnownNumbers;

namespace {

// Leaves or goes on with the loop around these.
bool Jumps(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
    if (s.kind == Stmt::Kind::kBreak || s.kind == Stmt::Kind::kContinue)
      return true;
    return Jumps(s.body) || Jumps(s.orelse);
  });
}

// Has a value whatever its names stand for, but where it leaves 64 bits.
bool IsDefined(const KnownNumbers& known, const Expr& e) {
  const bool divides = IsBinary(e, ExprOp::kDiv) || IsBinary(e, ExprOp::kRem) ||
                       e.name == "cdiv";
  const bool shifts = IsBinary(e, ExprOp::kShl) || IsBinary(e, ExprOp::kShr);
  if (shifts) return false;
  if (divides && (e.args.size() != 2 || known.Of(e.args[1]).value_or(0) < 1))
    return false;
  return std::all_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return IsDefined(known, arg); });
}

// The only value of the counter for which k == e, or k + c == e, holds.
std::optional<Expr> ValueIn(const Expr& condition, int32_t counter) {
  if (!IsBinary(condition, ExprOp::kEq)) return std::nullopt;
  for (const size_t side : {0, 1}) {
    const Expr &k = condition.args[side], &e = condition.args[1 - side];
    if (ir::Names(e, counter) || ir::NamesAVariable(e)) continue;
    if (ir::SlotOf(k) == counter) return e;
    if (IsBinary(k, ExprOp::kAdd) && ir::SlotOf(k.args[0]) == counter &&
        k.args[1].kind == ir::ExprKind::kInt)
      return Binary(ExprOp::kSub, e, k.args[1]);
  }
  return std::nullopt;
}

// Lets, and then an `if` without `else`, are all that an iteration has.
std::optional<Expr> SingleOf(const KnownNumbers& known, const Stmt& loop) {
  if (loop.kind != Stmt::Kind::kFor || loop.body.empty() ||
      (loop.step && !loop.step->is_int(1)) || ir::NamesAVariable(loop.low) ||
      ir::NamesAVariable(loop.high))
    return std::nullopt;
  Lets lets;
  for (size_t i = 0; i + 1 < loop.body.size(); ++i) {
    const Stmt& s = loop.body[i];
    if (s.kind != Stmt::Kind::kLet || !IsDefined(known, s.value))
      return std::nullopt;
    lets[s.slot] = &s.value;
  }
  const Stmt& only = loop.body.back();
  if (only.kind != Stmt::Kind::kIf || !only.orelse.empty() || Jumps(only.body))
    return std::nullopt;
  return ValueIn(WrittenOut(only.value, lets), loop.slot);
}

// With the number of the one iteration for the counter, if it is one of those
// that there are: low <= at < high. It is evaluated where there is one at all.
void Execute(const Expr& at, Stmt& loop) {
  Stmt let;
  let.kind = Stmt::Kind::kLet;
  let.name = loop.name;
  let.slot = loop.slot;
  let.span = loop.span;
  let.value = at;
  Stmt once;
  once.kind = Stmt::Kind::kIf;
  once.span = loop.span;
  once.value = Binary(ExprOp::kAnd, Binary(ExprOp::kLt, loop.low, loop.high),
                      Binary(ExprOp::kAnd, Binary(ExprOp::kLe, loop.low, at),
                             Binary(ExprOp::kLt, at, loop.high)));
  once.body.push_back(std::move(let));
  Block only = std::move(loop.body.back().body);
  loop.body.pop_back();  // its condition holds
  for (Block* part : {&loop.body, &only})
    std::move(part->begin(), part->end(), std::back_inserter(once.body));
  loop = std::move(once);
}

}  // namespace

bool ExecuteSingleIterations(const ir::Overrides& defines, ir::Kernel& kernel) {
  const KnownNumbers known(defines, kernel);
  bool any = false;
  ir::ForEachStmt(kernel.body, [&](Stmt& s) {
    const auto at = SingleOf(known, s);
    if (!at) return;
    Execute(*at, s);
    any = true;
  });
  if (any) kernel.items.clear();  // they count statements
  return any;
}

}  // namespace tilesim::checkers::pipeline
