// Whether CTAs of different clusters, or threads of one, touch the same
// elements of a global tensor, one writing, at any permitted size: that is a
// race, unless they are in order. Each pair of accesses is a question to the
// solver.
#ifndef TILESIM_CHECKERS_GRID_MEETINGS_H_
#define TILESIM_CHECKERS_GRID_MEETINGS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/example.h"
#include "checkers/grid/unordered.h"
#include "checkers/grid/words.h"

namespace tilesim::checkers::grid {

// Two accesses of which it was not shown that they never touch an element.
struct Meeting {
  const Access* first = nullptr;
  const Access* second = nullptr;
  // Of one cluster: as often as each was executed before, so many iterations of
  // its loops are over, and the loops of both go around as often.
  bool in_step = false;
  // Where they would meet if nothing but the text that was followed decided.
  std::optional<Example> example = std::nullopt;
  // The strides of the tensor may give two elements one place.
  bool strides = false;
  // Where they would meet as well.
  std::vector<Example> others = {};
  // Elements of less than a byte: they may share one.
  bool bytes = false;
};

// What lies behind its tensor is touched by nobody; a place it is all the same.
enum class Within : uint8_t { kTensor, kAnywhere };

// By CTAs of different clusters; less those that words put in order.
std::vector<Meeting> MeetingsIn(const Accesses& accesses, const Words& words,
                                const solver::Effort& effort = {},
                                Within within = Within::kTensor);

// Two executions in one cluster. `unordered`: what runs show of pairs of sites,
// which are those that are asked about; null: all are, and nothing is known to
// be in order.
std::vector<Meeting> MeetingsInCluster(const Accesses& accesses,
                                       const Words& words,
                                       const Unordered* unordered,
                                       const solver::Effort& effort = {},
                                       Within within = Within::kTensor);

SitePair SitesOf(const Meeting& meeting);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_MEETINGS_H_
