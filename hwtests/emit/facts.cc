#include "hwtests/emit/facts.h"

#include <limits>
#include <numeric>

#include "hwtests/emit/exact_uses.h"
#include "ir/op.h"

namespace tilesim::hwtests {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

bool FitsInt(int64_t v) {
  return v >= std::numeric_limits<int32_t>::min() &&
         v <= std::numeric_limits<int32_t>::max();
}

bool Is64Bit(const ir::BoundKernel& bound, const ir::Operand& operand) {
  if (operand.kind != ir::Operand::Kind::kRef || operand.ref.decl < 0)
    return false;
  const ir::BoundDecl& decl = bound.decls[operand.ref.decl];
  return decl.space != ir::Space::kMbarrier && values::BitsOf(decl.dtype) == 64;
}

}  // namespace

Facts::Facts(const ir::BoundKernel& bound, const std::set<std::string>& written)
    : bound_(bound), ranges_(bound, written), signs_(ranges_) {
  const ir::Kernel& kernel = *bound.kernel;
  constants_ = bound.slots;
  constants_.resize(kernel.slots);
  uses_.resize(kernel.slots, 0);
  lets_.resize(kernel.slots, nullptr);
  constant_.resize(kernel.slots, false);
  for (const ir::Param& param : kernel.params) {
    constants_[param.slot] = std::nullopt;
    if (!FitsInt(bound.slots[param.slot]->number) ||
        !FitsInt(param.high.value_or(0)))
      wide_.insert(param.slot);
  }
  for (const ir::Constant& c : kernel.constants) {
    lets_[c.slot] = &c.value;
    CountUses(c.value);
    constant_[c.slot] = !c.is_let || IsConstant(c.value);
    if (!constant_[c.slot]) constants_[c.slot] = std::nullopt;
    const auto& value = bound.slots[c.slot];
    if ((value && !value->is_float && !FitsInt(value->number)) ||
        (c.is_let && LeavesInt(c.value)))
      wide_.insert(c.slot);
  }
  Visit(kernel.body);
  exact_ = ExactUses(kernel, [this](const Expr& e) { return ranges_.Of(e); });
  for (bool changed = true; changed;) {
    changed = false;
    FindWide(kernel.body, &changed);
  }
}

void Facts::CountUses(const Expr& expr) {
  if (expr.kind == ExprKind::kName && expr.slot >= 0 &&
      expr.name_kind != NameKind::kBuiltin)
    ++uses_[expr.slot];
  for (const Expr& arg : expr.args) CountUses(arg);
}

void Facts::CountOp(const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const ir::Operand& operand = op.operands[i];
    bool written = (op.info->operands[i].types & ir::kTakesVar) != 0;
    if (operand.kind == ir::Operand::Kind::kExpr && !written)
      CountUses(operand.expr);
    for (const auto& group : operand.ref.groups) {
      for (const ir::Subscript& s : group) {
        CountUses(s.start);
        CountUses(s.extent);
      }
    }
    for (const Expr& cta : operand.ref.cta) CountUses(cta);
  }
}

void Facts::Visit(const ir::Block& block) {
  for (const Stmt& stmt : block) {
    for (const Expr* e : {&stmt.value, &stmt.low, &stmt.high}) CountUses(*e);
    if (stmt.step) CountUses(*stmt.step);
    for (const ir::Scope& scope : stmt.scopes) {
      CountUses(scope.low);
      CountUses(scope.high);
    }
    if (stmt.op) CountOp(*stmt.op);
    if (stmt.kind == Stmt::Kind::kLet) lets_[stmt.slot] = &stmt.value;
    if (stmt.kind == Stmt::Kind::kVar) vars_.insert(stmt.slot);
    if (stmt.kind == Stmt::Kind::kFor) {
      loops_[stmt.slot] = &stmt;
      if (NonNegative(stmt.low) && (!stmt.step || NonNegative(*stmt.step)))
        counting_.insert(stmt.slot);
    }
    std::optional<bool> taken = Taken(stmt);
    if (taken.value_or(true)) Visit(stmt.body);
    if (!taken.value_or(false)) Visit(stmt.orelse);
  }
}

std::optional<bool> Facts::Taken(const Stmt& stmt) const {
  if (stmt.kind != Stmt::Kind::kIf) return std::nullopt;
  std::optional<int64_t> value = Constant(stmt.value);
  if (!value) return std::nullopt;
  return *value != 0;
}

bool Facts::ShiftsFar(const Expr& expr) const {
  if (expr.op != ir::ExprOp::kShl && expr.op != ir::ExprOp::kShr) return false;
  constexpr int kMost = 31;
  std::optional<Range> by = ranges_.Of(expr.args[1]);
  return !by || by->low < 0 || by->high > kMost;
}

bool Facts::WideExpr(const Expr& expr) const {
  if (IsTruth(expr.op)) return false;
  if (expr.kind == ExprKind::kBinary && (LeavesInt(expr) || ShiftsFar(expr)))
    return true;
  if (expr.kind == ExprKind::kInt && !FitsInt(expr.value)) return true;
  if (expr.kind == ExprKind::kName && expr.name_kind != NameKind::kBuiltin &&
      wide_.contains(expr.slot))
    return true;
  // What decides between two values is none of them.
  const size_t from = expr.kind == ExprKind::kSelect ? 1 : 0;
  return std::any_of(expr.args.begin() + static_cast<ptrdiff_t>(from),
                     expr.args.end(),
                     [this](const Expr& arg) { return WideExpr(arg); });
}

// The counter gets one step further than its last value. One that counts down
// goes as far as its body lets it.
bool Facts::StepsPast(const Stmt& loop) const {
  std::optional<Range> high = ranges_.Of(loop.high);
  std::optional<Range> step =
      loop.step ? ranges_.Of(*loop.step) : std::optional(Range{1, 1});
  return !high || !step || step->low < 0 ||
         !FitsInt(high->high - 1 + step->high);
}

void Facts::FindWide(const ir::Block& block, bool* changed) {
  auto mark = [&](int32_t slot, bool wide) {
    if (wide && wide_.insert(slot).second) *changed = true;
  };
  for (const Stmt& stmt : block) {
    switch (stmt.kind) {
      case Stmt::Kind::kLet:
      case Stmt::Kind::kVar:
      case Stmt::Kind::kAssign:
        mark(stmt.slot, WideExpr(stmt.value));
        break;
      case Stmt::Kind::kFor:
        mark(stmt.slot,
             WideExpr(stmt.low) || WideExpr(stmt.high) || StepsPast(stmt));
        break;
      case Stmt::Kind::kOp: {
        // A var that an op writes is as wide as the memory it comes from.
        bool wide = false;
        for (const auto& o : stmt.op->operands) wide |= Is64Bit(bound_, o);
        for (size_t i = 0; i < stmt.op->operands.size(); ++i) {
          if ((stmt.op->info->operands[i].types & ir::kTakesVar) == 0) continue;
          const int32_t slot = stmt.op->operands[i].expr.slot;
          mark(slot,
               wide || (exact_.contains(slot) && ranges_.LeavesInt(slot)));
        }
        break;
      }
      default:
        break;
    }
    FindWide(stmt.body, changed);
    FindWide(stmt.orelse, changed);
  }
}

std::optional<ir::Value> Facts::Evaluate(
    const Expr& expr,
    const std::vector<std::optional<ir::Value>>& slots) const {
  auto bytes_of = [this](std::string_view name) -> std::optional<int64_t> {
    const auto& decls = bound_.kernel->decls;
    for (size_t i = 0; i < decls.size(); ++i) {
      if (decls[i].name != name) continue;
      const ir::BoundDecl& d = bound_.decls[i];
      // Without the padding to the next stage, which object_bytes has.
      return d.space == ir::Space::kShared ? d.layout.bytes() : d.object_bytes;
    }
    return std::nullopt;
  };
  ir::EvalError error;
  return ir::Evaluate(expr, {slots, {}, bytes_of}, &error);
}

std::optional<int64_t> Facts::Constant(const Expr& expr) const {
  std::optional<ir::Value> value = Evaluate(expr, constants_);
  if (!value || value->is_float) return std::nullopt;
  return value->number;
}

std::optional<double> Facts::ConstantReal(const Expr& expr) const {
  std::optional<ir::Value> value = Evaluate(expr, constants_);
  if (!value) return std::nullopt;
  return value->is_float ? value->real : static_cast<double>(value->number);
}

std::optional<int64_t> Facts::Bound(const Expr& expr) const {
  std::optional<ir::Value> value = Evaluate(expr, bound_.slots);
  if (!value || value->is_float) return std::nullopt;
  return value->number;
}

bool Facts::IsConstant(const Expr& expr) const {
  return Evaluate(expr, constants_).has_value();
}

const ir::Constant* Facts::Definition(int32_t slot) const {
  for (const ir::Constant& c : bound_.kernel->constants) {
    if (c.slot == slot) return &c;
  }
  return nullptr;
}

const ir::Param* Facts::ParamOf(int32_t slot) const {
  for (const ir::Param& p : bound_.kernel->params) {
    if (p.slot == slot) return &p;
  }
  return nullptr;
}

int64_t Facts::DivisorOfName(const Expr& expr) const {
  if (expr.name_kind == NameKind::kBuiltin || expr.slot < 0) return 1;
  if (const ir::Param* p = ParamOf(expr.slot)) return std::gcd(p->low, p->step);
  if (vars_.contains(expr.slot)) return 1;
  if (auto loop = loops_.find(expr.slot); loop != loops_.end()) {
    const Stmt& stmt = *loop->second;
    return std::gcd(Divisor(stmt.low), stmt.step ? Divisor(*stmt.step) : 1);
  }
  const Expr* definition = lets_[expr.slot];
  return definition == nullptr ? 1 : Divisor(*definition);
}

int64_t Facts::Divisor(const Expr& expr) const {
  if (std::optional<int64_t> value = Constant(expr)) return std::abs(*value);
  if (expr.kind == ExprKind::kName) return DivisorOfName(expr);
  if (expr.kind == ExprKind::kSelect)
    return std::gcd(Divisor(expr.args[1]), Divisor(expr.args[2]));
  if (expr.kind == ExprKind::kCall &&
      (expr.name == "min" || expr.name == "max"))
    return std::gcd(Divisor(expr.args[0]), Divisor(expr.args[1]));
  if (expr.kind != ExprKind::kBinary) return 1;
  int64_t a = Divisor(expr.args[0]), b = Divisor(expr.args[1]);
  switch (expr.op) {
    case ExprOp::kMul: {
      int64_t product;
      return __builtin_mul_overflow(a, b, &product) ? std::max(a, b) : product;
    }
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kRem:
      return std::gcd(a, b);
    case ExprOp::kDiv: {
      std::optional<int64_t> by = Constant(expr.args[1]);
      return by && *by != 0 && a % *by == 0 ? std::abs(a / *by) : 1;
    }
    default:
      return 1;
  }
}

bool Facts::NonNegative(const Expr& expr) const {
  if (std::optional<int64_t> value = Constant(expr)) return *value >= 0;
  if (expr.kind == ExprKind::kName) {
    if (expr.name_kind == NameKind::kBuiltin) return true;
    if (const ir::Param* p = ParamOf(expr.slot)) return p->low >= 0;
    if (counting_.contains(expr.slot)) return true;
    const Expr* definition = lets_[expr.slot];
    return definition != nullptr && !vars_.contains(expr.slot) &&
           NonNegative(*definition);
  }
  bool all = true;
  for (const Expr& arg : expr.args) all = all && NonNegative(arg);
  if (expr.kind == ExprKind::kCall) return all;
  if (expr.kind == ExprKind::kSelect)
    return NonNegative(expr.args[1]) && NonNegative(expr.args[2]);
  if (expr.kind != ExprKind::kBinary) return false;
  switch (expr.op) {
    case ExprOp::kSub:
      return false;
    case ExprOp::kBitAnd:
      return NonNegative(expr.args[0]) || NonNegative(expr.args[1]);
    default:
      return all;
  }
}

const Expr* Facts::EndOfCounter(int32_t slot) const {
  const auto loop = loops_.find(slot);
  if (loop == loops_.end()) return nullptr;
  const std::optional<Expr>& step = loop->second->step;
  const std::optional<int64_t> by = step ? Constant(*step) : 1;
  const bool up = (by && *by > 0) || (step && NeverNegative(*step));
  return up ? &loop->second->high : nullptr;
}

void Facts::LoopsOf(const Expr& expr, std::set<int32_t>* out,
                    bool* other) const {
  for (const Expr& arg : expr.args) LoopsOf(arg, out, other);
  if (expr.kind != ExprKind::kName || IsConstant(expr)) return;
  if (expr.name_kind != NameKind::kBuiltin && loops_.contains(expr.slot)) {
    out->insert(expr.slot);
  } else if (expr.name_kind != NameKind::kBuiltin &&
             lets_[expr.slot] != nullptr && !vars_.contains(expr.slot)) {
    LoopsOf(*lets_[expr.slot], out, other);
  } else {
    *other = true;
  }
}

}  // namespace tilesim::hwtests
