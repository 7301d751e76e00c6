#include "cli/library_gemm.h"

namespace tilesim::cli {
namespace {

using ir::TensorExpr;

std::optional<int32_t> GlobalOf(const TensorExpr& e,
                                const hwtests::LaunchPlan& plan) {
  if (e.kind != TensorExpr::Kind::kTensor) return std::nullopt;
  for (size_t i = 0; i < plan.globals.size(); ++i) {
    const hwtests::GlobalPlan& g = plan.globals[i];
    bool dense =
        g.shape.size() == 2 && g.strides[1] == 1 && g.strides[0] == g.shape[1];
    if (g.name == e.name && dense) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<hwtests::GemmPlan> LibraryGemm(const Loaded& loaded,
                                             const hwtests::LaunchPlan& plan) {
  const ir::Computes* only = nullptr;
  for (const machine::Code& code : loaded.codes) {
    for (size_t i = 0; i < code.bound.computes.size(); ++i) {
      if (!code.bound.computes[i]) continue;
      if (only != nullptr) return std::nullopt;
      only = &code.kernel().computes[i];
    }
  }
  if (only == nullptr || only->value.kind != TensorExpr::Kind::kMatmul)
    return std::nullopt;
  const TensorExpr& right = only->value.args[1];
  bool turned =
      right.kind == TensorExpr::Kind::kCall && right.name == "transpose";
  TensorExpr target;
  target.kind = TensorExpr::Kind::kTensor;
  target.name = only->target;
  auto a = GlobalOf(only->value.args[0], plan);
  auto b = GlobalOf(turned ? right.args[0] : right, plan);
  auto d = GlobalOf(target, plan);
  if (!a || !b || !d) return std::nullopt;
  const hwtests::GlobalPlan& ga = plan.globals[*a];
  const hwtests::GlobalPlan& gd = plan.globals[*d];
  return hwtests::GemmPlan{*a,          *b,          *d,    gd.shape[0],
                           gd.shape[1], ga.shape[1], turned};
}

}  // namespace tilesim::cli
