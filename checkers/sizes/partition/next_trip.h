// Whether a loop goes around again, or at all, as the text asks for it: to load
// what the next iteration takes, or because the last one does something else.
//
//   if cta.x < T { ... }
//   for i in 0..STAGES - 1 { if cta.x + i * grid.x < T { ... } }
//   for t in cta.x..T step grid.x { ... if t + grid.x < T { ... } }
//   for t in cta.x..T step grid.x { ... if t + 2 * grid.x < T { ... } }
//   for i in 0..mine { ... if i == mine - 1 { ... } }
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_NEXT_TRIP_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_NEXT_TRIP_H_

#include <cstdint>
#include <optional>

#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// The counter of a loop in an expression of these: a name with this slot.
inline constexpr int32_t kCounter = -2;

// A comparison of the counter, which stands left, without a `!` before it, if
// it can be made one.
ir::Expr Direct(ir::Expr e);

// A loop goes on where `condition`, `counter < end` or another comparison that
// fails some day, holds of what the counter is then.
struct GoesOn {
  ir::Expr condition;
  ir::Expr step;  // at least 1
  bool up = true;
};

// Of a condition in an iteration: true, that there is a next one; false, that
// there is none. nullopt: it says something else. `advanced`: the counter is
// that of the next iteration by now.
std::optional<bool> SaysNext(const ir::Expr& condition, const GoesOn& loop,
                             bool advanced);

// Of a comparison of `from` and as many times the step as a number says:
// whether it is that which lets the loop go on, or the opposite, and that
// number, of which the caller knows whether it is natural. `from`: its begin,
// or its counter.
struct StepsOn {
  ir::Expr steps;
  bool says = true;
};
std::optional<StepsOn> SaysStepsOn(const ir::Expr& condition,
                                   const ir::Expr& from, const GoesOn& loop);

// Whether two comparisons without a counter are the same (true) or each the
// other's opposite (false), as written.
std::optional<bool> SaysSame(const ir::Expr& a, const ir::Expr& b);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_NEXT_TRIP_H_
