#include "ptx/flow/locks.h"

#include "ptx/flow/alike_rounds.h"
#include "ptx/flow/small_values.h"
#include "ptx/flow/waits.h"

namespace tilesim::ptx {

LockLoop LockLoopOf(const Graph& graph, int32_t node, int64_t held,
                    const std::map<int32_t, int64_t>& fixed) {
  using Kind = LockLoop::Kind;
  if (!small_values::IsSmall(held) || held == 0 ||
      graph.nodes[static_cast<size_t>(node)].defines.size() != 1)
    return {};
  if (LoopAsksWhile(graph, node, held, 0, fixed)) return {Kind::kAlone, {}};
  const auto rounds = AlikeRoundsOf(graph, node);
  if (!rounds) return {};
  return {Kind::kRounds, rounds->meets};
}

}  // namespace tilesim::ptx
