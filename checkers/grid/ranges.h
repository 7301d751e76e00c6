// Between which numbers scalars stay that a loop sets (docs/all_sizes.md 5.6):
//
//   var s = 0
//   for k in 0..n { ... s = (s + 1) % 4 }          0 to 3
//   while .. { s = s + 1; if s == 4 { s = 0 } }    0 to 3
//   for i in 0..6 { ... half = half * 2 }          1 or more
#ifndef TILESIM_CHECKERS_GRID_RANGES_H_
#define TILESIM_CHECKERS_GRID_RANGES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "absl/functional/function_ref.h"
#include "ir/program.h"

namespace tilesim::checkers::grid {

// From `low` to `high`; absent: without end.
struct Range {
  std::optional<int64_t> low, high;

  bool known() const { return low || high; }
  friend bool operator==(const Range&, const Range&) = default;
};

// By slot; absent: any number.
using Ranges = std::map<int32_t, Range>;

// As each iteration of a loop begins, where the first begins with `before`.
// `set`: slots that the loop sets, its counter among them, of which nothing is
// said here. `outside`: of a name that it does not set.
Ranges RangesIn(const ir::Block& body, const std::set<int32_t>& set,
                const Ranges& before,
                absl::FunctionRef<Range(const ir::Expr& name)> outside);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_RANGES_H_
