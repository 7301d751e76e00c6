#include "checkers/sizes/partition/guarded_loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "ir/named.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Names;
using ir::NamesAVariable;
using ir::Stmt;

namespace {

using Lets = std::map<int32_t, const Expr*>;  // by slot

// With the lets of an iteration written out.
Expr WrittenOut(const Expr& e, const Lets& lets) {
  if (e.kind == ExprKind::kName && e.name_kind == NameKind::kLet) {
    auto let = lets.find(e.slot);
    if (let != lets.end()) return WrittenOut(*let->second, lets);
  }
  Expr out = e;
  for (Expr& arg : out.args) arg = WrittenOut(arg, lets);
  return out;
}

// Of a sum in which the counter is added once: the rest.
std::optional<Expr> Without(const Expr& e, int32_t counter) {
  if (e.kind == ExprKind::kName) return Expr::Int(0, e.span);
  if (e.kind != ExprKind::kBinary) return std::nullopt;
  const bool left = Names(e.args[0], counter),
             right = Names(e.args[1], counter);
  const bool adds =
      e.op == ExprOp::kAdd || (e.op == ExprOp::kSub && left && !right);
  if (!adds || left == right) return std::nullopt;
  Expr out = e;
  Expr& of = out.args[left ? 0 : 1];
  std::optional<Expr> rest = Without(of, counter);
  if (!rest) return std::nullopt;
  of = *std::move(rest);
  return out;
}

Expr Least(Expr a, Expr b) {
  Expr out;
  out.kind = ExprKind::kCall;
  out.name = "min";
  out.span = a.span;
  out.args = {std::move(a), std::move(b)};
  return out;
}

// The number that the counter must be below for the condition to hold.
std::optional<Expr> BoundOf(const Expr& condition, int32_t counter,
                            const Lets& lets) {
  if (condition.kind != ExprKind::kBinary) return std::nullopt;
  ExprOp op = condition.op;
  Expr less = WrittenOut(condition.args[0], lets);
  Expr more = WrittenOut(condition.args[1], lets);
  if (op == ExprOp::kGt || op == ExprOp::kGe) {
    std::swap(less, more);
    op = op == ExprOp::kGt ? ExprOp::kLt : ExprOp::kLe;
  }
  if ((op != ExprOp::kLt && op != ExprOp::kLe) || !Names(less, counter) ||
      Names(more, counter) || NamesAVariable(less) || NamesAVariable(more))
    return std::nullopt;
  std::optional<Expr> rest = Without(less, counter);
  if (!rest) return std::nullopt;
  Expr bound = Binary(ExprOp::kSub, std::move(more), *std::move(rest));
  return op == ExprOp::kLt ? bound : Binary(ExprOp::kAdd, std::move(bound), 1);
}

// docs/all_sizes.md 3.10: lets, and then an `if` without `else`, are all that
// an iteration has.
bool End(Stmt& loop) {
  if (loop.kind != Stmt::Kind::kFor || loop.step || loop.body.empty())
    return false;
  Lets lets;
  for (size_t i = 0; i + 1 < loop.body.size(); ++i) {
    const Stmt& s = loop.body[i];
    if (s.kind != Stmt::Kind::kLet) return false;
    lets[s.slot] = &s.value;
  }
  const Stmt& guard = loop.body.back();
  if (guard.kind != Stmt::Kind::kIf || !guard.orelse.empty()) return false;
  std::optional<Expr> bound = BoundOf(guard.value, loop.slot, lets);
  if (!bound) return false;
  loop.high = Least(loop.high, *std::move(bound));
  Block inner = std::move(loop.body.back().body);
  loop.body.pop_back();
  loop.body.insert(loop.body.end(), std::make_move_iterator(inner.begin()),
                   std::make_move_iterator(inner.end()));
  return true;
}

}  // namespace

std::vector<ir::Span> EndGuardedLoops(ir::Kernel& kernel) {
  std::vector<ir::Span> ended;
  ir::ForEachStmt(kernel.body, [&](Stmt& s) {
    if (End(s)) ended.push_back(s.span);
  });
  if (!ended.empty()) kernel.items.clear();  // they count statements
  return ended;
}

// docs/all_sizes.md 3.11.
IsEntered EnteredBut(const IsEntered& entered, std::vector<ir::Span> ended) {
  if (!entered || !proof::IsJudged(proof::Condition::kEndsAsWritten))
    return entered;
  return [&entered, ended = std::move(ended)](const Stmt& loop) {
    return entered(loop) &&
           std::none_of(ended.begin(), ended.end(), [&](const ir::Span& s) {
             return s.line == loop.span.line && s.column == loop.span.column;
           });
  };
}

}  // namespace tilesim::checkers::sizes::partition
