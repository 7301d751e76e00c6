#include "checkers/sizes/state/text_multiple.h"

#include <algorithm>
#include <numeric>

namespace tilesim::checkers::sizes::state {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;

int64_t DivisorOf(const machine::Code& code, const Expr& e, int64_t of) {
  if (e.kind == ExprKind::kInt) return std::gcd(e.value, of);
  if (e.kind == ExprKind::kName && e.name_kind == NameKind::kConst)
    return std::gcd(code.bound.slots[e.slot]->number, of);
  if (e.kind == ExprKind::kName && e.name_kind == NameKind::kParam) {
    const auto& params = code.kernel().params;
    auto p = std::find_if(params.begin(), params.end(),
                          [&](const auto& q) { return q.slot == e.slot; });
    return p == params.end() ? 1 : std::gcd(std::gcd(p->low, p->step), of);
  }
  if (e.kind != ExprKind::kBinary) return 1;
  auto part = [&](size_t i) { return DivisorOf(code, e.args[i], of); };
  if (e.op == ExprOp::kAdd || e.op == ExprOp::kSub)
    return std::gcd(part(0), part(1));
  if (e.op != ExprOp::kMul) return 1;
  // Each divides `of`, which is small.
  return std::gcd(part(0) * part(1), of);
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
