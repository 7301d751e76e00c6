#include "checkers/sizes/state/text_multiple.h"

#include <algorithm>
#include <numeric>

#include "ir/walk.h"

namespace tilesim::checkers::sizes::state {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;

Multiples::Multiples(const machine::Code& code) : code_(code) {
  // Of a slot with two definitions nothing is known.
  auto define = [](auto& known, int32_t slot, auto* by) {
    const auto [at, fresh] = known.try_emplace(slot, by);
    if (!fresh) at->second = nullptr;
  };
  for (const ir::Constant& c : code.kernel().constants) {
    if (c.is_let) define(lets_, c.slot, &c.value);
  }
  ir::ForEachStmt(code.kernel().body, [&](const ir::Stmt& s) {
    if (s.kind == ir::Stmt::Kind::kLet) define(lets_, s.slot, &s.value);
    if (s.kind == ir::Stmt::Kind::kFor) define(loops_, s.slot, &s);
  });
}

int64_t Multiples::OfName(const Expr& name, int64_t of) const {
  switch (name.name_kind) {
    case NameKind::kConst:
      return std::gcd(code_.bound.slots[name.slot]->number, of);
    case NameKind::kParam: {
      const auto& params = code_.kernel().params;
      auto p = std::find_if(params.begin(), params.end(),
                            [&](const auto& q) { return q.slot == name.slot; });
      return p == params.end() ? 1 : std::gcd(std::gcd(p->low, p->step), of);
    }
    case NameKind::kLet: {
      const auto let = lets_.find(name.slot);
      const bool known = let != lets_.end() && let->second != nullptr;
      return known ? DivisorOf(*let->second, of) : 1;
    }
    case NameKind::kLoop: {
      const auto loop = loops_.find(name.slot);
      const bool steps = loop != loops_.end() && loop->second != nullptr &&
                         loop->second->step.has_value();
      if (!steps) return 1;
      return std::gcd(DivisorOf(loop->second->low, of),
                      DivisorOf(*loop->second->step, of));
    }
    default:
      return 1;
  }
}

int64_t Multiples::OfBinary(const Expr& e, int64_t of) const {
  const int64_t a = DivisorOf(e.args[0], of);
  switch (e.op) {
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kRem:
      return std::gcd(a, DivisorOf(e.args[1], of));
    case ExprOp::kMul:
      // Each divides `of`, which is small.
      return std::gcd(a * DivisorOf(e.args[1], of), of);
    default:
      return 1;
  }
}

int64_t Multiples::DivisorOf(const Expr& e, int64_t of) const {
  switch (e.kind) {
    case ExprKind::kInt:
      return std::gcd(e.value, of);
    case ExprKind::kName:
      return OfName(e, of);
    case ExprKind::kBinary:
      return OfBinary(e, of);
    case ExprKind::kSelect:
      return std::gcd(DivisorOf(e.args[1], of), DivisorOf(e.args[2], of));
    case ExprKind::kCall:
      if (e.name != "min" && e.name != "max") return 1;
      return std::gcd(DivisorOf(e.args[0], of), DivisorOf(e.args[1], of));
    default:
      return 1;
  }
}

int64_t DivisorOf(const machine::Code& code, const Expr& e, int64_t of) {
  return Multiples(code).DivisorOf(e, of);
}

const Expr* StartOf(const ir::Ref& ref, int dim) {
  for (const auto& group : ref.groups) {
    for (const ir::Subscript& s : group) {
      if (dim-- > 0) continue;
      return s.kind == ir::Subscript::Kind::kAll ? nullptr : &s.start;
    }
  }
  return nullptr;
}

bool IsMultiple(const machine::Code& code, const Expr& e, int64_t by) {
  return DivisorOf(code, e, by) == by;
}

}  // namespace tilesim::checkers::sizes::state
