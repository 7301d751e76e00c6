#include "checkers/sizes/partition/required_products.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/expr.h"

namespace tilesim::checkers::sizes::partition {
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::Requirement;

namespace {

bool AsksForParam(const Expr& e) {
  return e.name_kind == ir::NameKind::kParam ||
         std::any_of(e.args.begin(), e.args.end(), AsksForParam);
}

bool HasProduct(const Expr& e) {
  const bool product = e.kind == ExprKind::kBinary && e.op == ExprOp::kMul &&
                       std::all_of(e.args.begin(), e.args.end(), AsksForParam);
  return product || std::any_of(e.args.begin(), e.args.end(), HasProduct);
}

// The parts of `a && b` of which each has to hold.
void EachPart(const Requirement& of, std::vector<Requirement>& out) {
  const Expr& e = of.condition;
  if (e.kind != ExprKind::kBinary || e.op != ExprOp::kAnd) {
    out.push_back(of);
    return;
  }
  for (const Expr& part : e.args) EachPart({part, of.span}, out);
}

}  // namespace

bool DropProducts(ir::Kernel& kernel) {
  std::vector<Requirement> parts;
  for (const Requirement& r : kernel.requirements) EachPart(r, parts);
  const bool some = std::erase_if(parts, [](const Requirement& r) {
                      return HasProduct(r.condition);
                    }) > 0;
  if (!some) return false;
  kernel.requirements = std::move(parts);
  kernel.items.clear();  // they count requirements
  return true;
}

}  // namespace tilesim::checkers::sizes::partition
