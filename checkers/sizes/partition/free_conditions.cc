#include "checkers/sizes/partition/free_conditions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/launch_values.h"
#include "ir/cat.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Stmt;

namespace {

bool IsNumber(const Expr& e) {
  return e.kind == ExprKind::kInt || e.name_kind == ir::NameKind::kConst;
}

// It multiplies or divides by what is no constant.
bool IsNoPolynomial(const Expr& e) {
  const bool divides = (e.kind == ExprKind::kBinary &&
                        (e.op == ExprOp::kDiv || e.op == ExprOp::kRem)) ||
                       (e.kind == ExprKind::kCall && e.name == "cdiv");
  return (divides && !IsNumber(e.args[1])) ||
         std::any_of(e.args.begin(), e.args.end(), IsNoPolynomial);
}

}  // namespace

std::vector<std::string> FreeConditions(const ir::Overrides& defines,
                                        const std::set<int32_t>& inputs,
                                        ir::Kernel& kernel) {
  LaunchValues values(defines, inputs, kernel);
  std::map<std::string, Expr> params;  // by what is written
  std::vector<std::string> names;
  values.Walk(kernel.body, [&](Stmt& s, const LaunchValues::Known&) {
    if (s.kind != Stmt::Kind::kIf) return;
    const auto written = values.Written(s.value);
    if (!written || !AsksForPlace(*written) || !IsNoPolynomial(*written))
      return;
    auto [at, fresh] = params.try_emplace(ir::ToString(*written));
    if (fresh) {
      ir::Param param;
      param.name = ir::Cat("the condition of line ", s.span.text_line());
      if (std::count(names.begin(), names.end(), param.name) > 0)
        ir::Append(&param.name, " (", names.size() + 1, ")");
      param.low = param.value = 0;
      param.high = 1;
      param.slot = kernel.slots++;
      param.span = s.span;
      kernel.slot_names.push_back(param.name);
      names.push_back(param.name);
      at->second = NameOf(ir::NameKind::kParam, param.name, param.slot, s.span);
      kernel.params.push_back(std::move(param));
    }
    s.value = at->second;
  });
  if (!names.empty()) kernel.items.clear();  // they count statements
  return names;
}

}  // namespace tilesim::checkers::sizes::partition
