#include "frontend/warp_values.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tilesim::frontend {
namespace {

using ir::kMaxWarps;

}  // namespace

WarpValues::WarpValues(const ir::BoundKernel& bound) {
  const auto& decls = bound.kernel->decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    if (decls[i].space != ir::Space::kGlobal)
      bytes_.emplace(decls[i].name, bound.decls[i].object_bytes);
  }
  slots_.assign(kMaxWarps,
                std::vector<std::optional<ir::Value>>(bound.slots.size()));
  for (const ir::Constant& c : bound.kernel->constants) {
    if (c.is_let) {
      Let(c.slot, c.value);
      continue;
    }
    for (auto& slots : slots_) slots[c.slot] = bound.slots[c.slot];
  }
}

std::optional<int64_t> WarpValues::BytesOf(std::string_view name) const {
  auto it = bytes_.find(name);
  return it == bytes_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<int64_t> WarpValues::Evaluate(const ir::Expr& e, int warp) const {
  std::array<std::optional<int64_t>, std::size(ir::kBuiltins)> builtins;
  builtins[static_cast<int>(ir::Builtin::kWarp)] = warp;
  builtins[static_cast<int>(ir::Builtin::kWarpgroup)] =
      warp / ir::kWarpgroupWarps;
  ir::EvalEnv env{slots_[warp], builtins,
                  [this](std::string_view name) { return BytesOf(name); }};
  std::optional<ir::Value> v = ir::Evaluate(e, env, nullptr);
  if (!v || v->is_float) return std::nullopt;
  return v->number;
}

std::optional<int64_t> WarpValues::Uniform(const ir::Expr& e,
                                           const Threads& threads) const {
  std::optional<int64_t> value;
  for (int w = 0; w < kMaxWarps; ++w) {
    if (threads.lanes[w] == 0) continue;
    std::optional<int64_t> v = Evaluate(e, w);
    if (!v || (value && *value != *v)) return std::nullopt;
    value = v;
  }
  return value;
}

bool WarpValues::Varies(const ir::Expr& e) const {
  if (e.kind == ir::ExprKind::kName) {
    bool builtin = e.name_kind == ir::NameKind::kBuiltin;
    auto slot = static_cast<ir::Builtin>(e.slot);
    return builtin
               ? slot == ir::Builtin::kWarp || slot == ir::Builtin::kWarpgroup
               : varying_.contains(e.slot);
  }
  return std::any_of(e.args.begin(), e.args.end(),
                     [this](const ir::Expr& arg) { return Varies(arg); });
}

void WarpValues::Let(int32_t slot, const ir::Expr& value) {
  if (Varies(value)) varying_.insert(slot);
  for (int w = 0; w < kMaxWarps; ++w) {
    std::optional<int64_t> v = Evaluate(value, w);
    slots_[w][slot] = v ? std::optional(ir::Value::Int(*v)) : std::nullopt;
  }
}

void WarpValues::Unknown(int32_t slot, bool varies) {
  if (varies) varying_.insert(slot);
}

}  // namespace tilesim::frontend
