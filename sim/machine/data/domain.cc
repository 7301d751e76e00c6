#include "sim/machine/data/domain.h"

#include <algorithm>

#include "ir/eval.h"

namespace tilesim::machine {

std::optional<values::IntegerRange> DomainOf(const ir::Decl& decl,
                                             const ir::BoundKernel& bound) {
  if (!decl.domain_low || !decl.domain_high) return std::nullopt;
  ir::EvalEnv env{bound.slots, {}, {}};
  std::optional<ir::Value> low = ir::Evaluate(*decl.domain_low, env, nullptr);
  std::optional<ir::Value> high = ir::Evaluate(*decl.domain_high, env, nullptr);
  if (!low || !high || high->number < low->number) return std::nullopt;
  // What ir/values/seeded.h draws from.
  int64_t width = std::min<int64_t>(high->number - low->number, UINT32_MAX - 1);
  return values::IntegerRange{low->number, low->number + width};
}

}  // namespace tilesim::machine
