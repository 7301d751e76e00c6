#include "checkers/grid/operators.h"

#include <algorithm>
#include <utility>

#include "ir/walk.h"

namespace tilesim::checkers::grid {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using solver::All;
using solver::Not;

namespace {

bool IsDivision(const Expr& e) {
  if (e.kind == ExprKind::kCall) return e.name == "cdiv";
  return e.kind == ExprKind::kBinary &&
         (e.op == ExprOp::kDiv || e.op == ExprOp::kRem);
}

bool IsDefinedFor(const Expr& e, int64_t right) {
  return IsShift(e) ? right >= 0 && right <= kMostShifted : right != 0;
}

// Other than by a number that is written there.
bool HasOperator(const Expr& e) {
  bool here = IsDivision(e) || IsShift(e);
  bool defined = here && e.args[1].kind == ExprKind::kInt &&
                 IsDefinedFor(e, e.args[1].value);
  return (here && !defined) ||
         std::any_of(e.args.begin(), e.args.end(), HasOperator);
}

}  // namespace

bool IsShift(const Expr& e) {
  return e.kind == ExprKind::kBinary &&
         (e.op == ExprOp::kShl || e.op == ExprOp::kShr);
}

void OperatorReader::ReadLaunch(const ir::Kernel& kernel) {
  std::vector<Formula> when;
  auto all = [&](const std::vector<Expr>& exprs) {
    for (const Expr& e : exprs) Read(e, when);
  };
  for (const ir::Constant& c : kernel.constants) {
    Read(c.value, when);
    Let(c.slot, c.value);
  }
  for (const ir::Requirement& r : kernel.requirements) Read(r.condition, when);
  for (const ir::Decl& d : kernel.decls) {
    for (const auto* extents : {&d.array, &d.shape, &d.strides}) all(*extents);
  }
  for (const ir::Computes& c : kernel.computes) {
    if (c.when) Read(*c.when, when);
  }
  all(kernel.grid);
  all(kernel.cluster);
  Read(kernel.block, when);
}

void OperatorReader::Let(int32_t slot, const Expr& value) {
  if (IsFloat(value)) floats_.insert(slot);
}

bool OperatorReader::IsFloat(const Expr& e) const {
  return e.kind == ExprKind::kFloat || floats_.count(ir::SlotOf(e)) != 0 ||
         std::any_of(e.args.begin(), e.args.end(),
                     [&](const Expr& arg) { return IsFloat(arg); });
}

// `&&`, `||` and `?:` evaluate only what they need.
void OperatorReader::Read(const Expr& e, std::vector<Formula>& when) {
  if (!HasOperator(e)) return;
  Read(e.args[0], when);
  if (e.op == ExprOp::kAnd || e.op == ExprOp::kOr) {
    Formula first = scalars_.Condition(e.args[0]);
    if (e.op == ExprOp::kOr) first = Not(first);
    return ReadUnder(std::move(first), e.args[1], when);
  }
  if (e.kind == ExprKind::kSelect) {
    Formula first = scalars_.Condition(e.args[0]);
    ReadUnder(first, e.args[1], when);
    return ReadUnder(Not(first), e.args[2], when);
  }
  for (size_t i = 1; i < e.args.size(); ++i) Read(e.args[i], when);
  if ((!IsDivision(e) && !IsShift(e)) || IsFloat(e)) return;
  Linear right = scalars_.Value(e.args[1]);
  if (right.is_constant() && IsDefinedFor(e, right.constant())) return;
  out_.push_back({&e, std::move(right), All(when)});
}

void OperatorReader::ReadUnder(Formula condition, const Expr& e,
                               std::vector<Formula>& when) {
  when.push_back(std::move(condition));
  Read(e, when);
  when.pop_back();
}

void OperatorReader::Read(const ir::Op& op, std::vector<Formula>& when) {
  for (const ir::Operand& o : op.operands) {
    if (o.kind == ir::Operand::Kind::kExpr) Read(o.expr, when);
    if (o.kind != ir::Operand::Kind::kRef) continue;
    for (const auto& group : o.ref.groups) {
      for (const ir::Subscript& sub : group) {
        Read(sub.start, when);
        Read(sub.extent, when);
      }
    }
    for (const Expr& cta : o.ref.cta) Read(cta, when);
  }
}

void OperatorReader::Read(const std::vector<ir::Scope>& scopes,
                          std::vector<Formula>& when) {
  for (const ir::Scope& scope : scopes) {
    Read(scope.low, when);
    Read(scope.high, when);
  }
}

}  // namespace tilesim::checkers::grid
