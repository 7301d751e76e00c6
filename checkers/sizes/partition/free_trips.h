// Loops over the share of the work that a CTA has, in which how often they go
// around is no polynomial of sizes and the place in the grid:
//
//   for t in cta.x..cdiv(N, 128) step grid.x        every grid.x-th tile
//   for t in T * cta.x / grid.x..T * (cta.x + 1) / grid.x     a piece each
//   while t < T { ... t = t + grid.x }
//   for w in 0..cdiv(T, grid.x) { if w * grid.x + cta.x < T { ... } }
//   ld n, LEN[cta.x]; for k in 0..cdiv(n, 64)       as an input says
//
// In the kernel that this makes of it, each such loop goes around as often as a
// parameter says, any natural number. That kernel can do whatever a CTA of the
// real one does, and more (docs/all_sizes.md 3.11).
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_FREE_TRIPS_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_FREE_TRIPS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"

namespace tilesim::checkers::sizes::partition {

// Whether a loop is known to go around at least once whenever a thread comes to
// it.
using IsEntered = std::function<bool(const ir::Stmt&)>;

struct KnownOfKernel {
  const ir::Overrides& defines;       // of constants
  const std::set<int32_t>& inputs;    // declarations that nobody writes
  const IsEntered& entered;           // may be null
  const std::set<int32_t>& elements;  // parameters in place of elements
};

// One parameter, and the lines of the loops that go around as often as it says:
// those of which the text shows that they go around equally often.
struct FreeTrip {
  std::string name;  // for messages: "the trip count of line 12"
  std::set<int32_t> lines;
};

// The last parameters of the kernel. Empty: there is no such loop, and the
// kernel is as it was.
std::vector<FreeTrip> FreeTrips(const KnownOfKernel& known, ir::Kernel& kernel);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_FREE_TRIPS_H_
