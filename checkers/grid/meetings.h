// Whether CTAs of different clusters touch the same elements of a global
// tensor, one writing, at any permitted size: that is a race, unless words
// of memory order them. Each pair of accesses is a question to the solver.
#ifndef TILESIM_CHECKERS_GRID_MEETINGS_H_
#define TILESIM_CHECKERS_GRID_MEETINGS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"
#include "ir/bind.h"

namespace tilesim::checkers::grid {

// A launch, and two CTAs of it, in which two accesses would touch an element.
struct Example {
  ir::Overrides sizes;  // parameters that are not fixed
  int64_t sm_count = 1;
  std::array<int64_t, 3> first{}, second{};  // CTAs
};

// Two accesses of which it was not shown that they never touch an element.
struct Meeting {
  const Access* first = nullptr;
  const Access* second = nullptr;  // by a CTA of another cluster
  // Where they would meet if nothing but the text that was followed decided.
  std::optional<Example> example;
  // The strides of the tensor may give two elements one place.
  bool strides = false;
};

// Less those that words put in order.
std::vector<Meeting> MeetingsIn(const Accesses& accesses, const Words& words,
                                const solver::Effort& effort = {});

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_MEETINGS_H_
