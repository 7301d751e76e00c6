// How far a variable gets that counts: `t = t + grid.x` in `while t < TILES`,
// `k = k + 1` in loops of so many iterations.
#ifndef TILESIM_HWTESTS_EMIT_COUNTED_H_
#define TILESIM_HWTESTS_EMIT_COUNTED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/program.h"

namespace tilesim::hwtests {

// Both inclusive; what lies further out is cut off at kFar.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
};
inline constexpr int64_t kFar = int64_t{1} << 62;

// Sums and products of two ends of ranges do not overflow it.
using Wide = __int128;
int64_t CutOff(Wide v);

// Whether the expression has the scalar of that slot in it.
bool NamesScalar(const ir::Expr& e, int32_t slot);

// A value that a scalar is set to, and where.
struct Setting {
  const ir::Expr* value = nullptr;
  std::vector<const ir::Stmt*> loops;  // around it, the outermost first
  bool sometimes = false;              // not in every iteration
};
using Settings = std::map<int32_t, std::vector<Setting>>;  // by slot

// Steps by literals of at most kSmallStep in a loop of which the end is not
// known are taken to be at most kManySteps: a loop that waits for something in
// every iteration goes on for minutes then.
inline constexpr int64_t kSmallStep = 16;
inline constexpr int64_t kManySteps = int64_t{1} << 26;

using RangeFn = std::function<std::optional<Range>(const ir::Expr&)>;

// nullopt: not known. `range`: of expressions without the scalar.
std::optional<Range> CountedRange(int32_t slot, const Settings& settings,
                                  const RangeFn& range);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_COUNTED_H_
