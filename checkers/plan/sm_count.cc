#include "checkers/plan/sm_count.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tilesim::checkers::plan {
namespace {

bool Asks(const ir::Expr& e) {
  bool names = e.kind == ir::ExprKind::kName &&
               e.name_kind == ir::NameKind::kBuiltin &&
               e.slot == static_cast<int32_t>(ir::Builtin::kSmCount);
  return names || std::any_of(e.args.begin(), e.args.end(), Asks);
}

bool Asks(const std::optional<ir::Expr>& e) { return e && Asks(*e); }

bool Asks(const std::vector<ir::Expr>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const ir::Expr& e) { return Asks(e); });
}

bool Asks(const ir::Decl& d) {
  return Asks(d.array) || Asks(d.shape) || Asks(d.strides) ||
         Asks(d.fragment_arg) || Asks(d.align) || Asks(d.columns) ||
         (d.at && (Asks(d.at->index) || Asks(d.at->offset)));
}

bool Asks(const ir::Operand& o) {
  if (Asks(o.expr) || Asks(o.ref.cta)) return true;
  return std::any_of(
      o.ref.groups.begin(), o.ref.groups.end(), [](const auto& group) {
        return std::any_of(group.begin(), group.end(),
                           [](const ir::Subscript& s) {
                             return Asks(s.start) || Asks(s.extent);
                           });
      });
}

bool Asks(const ir::Stmt& s) {
  auto scope = [](const ir::Scope& o) { return Asks(o.low) || Asks(o.high); };
  auto asks = [](const auto& e) { return Asks(e); };
  return Asks(s.value) || Asks(s.low) || Asks(s.high) || Asks(s.step) ||
         std::any_of(s.scopes.begin(), s.scopes.end(), scope) ||
         (s.op &&
          std::any_of(s.op->operands.begin(), s.op->operands.end(), asks)) ||
         std::any_of(s.body.begin(), s.body.end(), asks) ||
         std::any_of(s.orelse.begin(), s.orelse.end(), asks);
}

}  // namespace

bool AsksForSms(const ir::Kernel& kernel) {
  auto any = [](const auto& all, auto part) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& one) { return Asks(part(one)); });
  };
  auto itself = [](const auto& one) -> const auto& { return one; };
  return Asks(kernel.grid) || Asks(kernel.cluster) || Asks(kernel.block) ||
         any(kernel.constants, [](const auto& c) { return c.value; }) ||
         any(kernel.requirements, [](const auto& r) { return r.condition; }) ||
         any(kernel.decls, itself) || any(kernel.body, itself);
}

}  // namespace tilesim::checkers::plan
