#include "frontend/first_warp.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "ir/warp.h"

namespace tilesim::frontend {
namespace {

using Kind = ir::Scope::Kind;

uint32_t Warps(int64_t low, int64_t high) {
  low = std::clamp<int64_t>(low, 0, ir::kMaxWarps);
  high = std::clamp<int64_t>(high, low, ir::kMaxWarps);
  return static_cast<uint32_t>((uint64_t{1} << high) - (uint64_t{1} << low));
}

// Those of which the scope has threads; nullopt: no constant.
std::optional<uint32_t> WarpsOf(const ir::Scope& scope,
                                const ir::EvalEnv& constants) {
  if (scope.kind == Kind::kElect || scope.kind == Kind::kLanes)
    return ~uint32_t{0};
  // Beyond any CTA, and small enough to calculate with.
  constexpr int64_t kBeyond = 1 << 20;
  auto at = [&](const ir::Expr& e) -> std::optional<int64_t> {
    std::optional<ir::Value> v = ir::Evaluate(e, constants, nullptr);
    if (!v || v->is_float) return std::nullopt;
    return std::clamp<int64_t>(v->number, 0, kBeyond);
  };
  std::optional<int64_t> low = at(scope.low);
  std::optional<int64_t> high = scope.range ? at(scope.high) : low;
  if (!low || !high) return std::nullopt;
  const int64_t end = scope.range ? *high : *low + 1;
  switch (scope.kind) {
    case Kind::kWarpgroups:
      return Warps(*low * ir::kWarpgroupWarps, end * ir::kWarpgroupWarps);
    case Kind::kThreads:
      return *low < end ? Warps(*low / ir::kWarpThreads, ir::WarpsOf(end)) : 0;
    default:
      return Warps(*low, end);
  }
}

}  // namespace

FirstWarp FirstWarpIn(std::span<const ir::Scope> around,
                      const ir::EvalEnv& constants) {
  uint32_t in = ~uint32_t{0};
  for (size_t k = 0; k < around.size();) {
    uint32_t united = 0;
    do {
      std::optional<uint32_t> warps = WarpsOf(around[k], constants);
      if (!warps) return {0, &around[k]};
      united |= *warps;
    } while (++k < around.size() && around[k].also);
    in &= united;
  }
  return {in == 0 ? 0 : std::countr_zero(in), nullptr};
}

}  // namespace tilesim::frontend
