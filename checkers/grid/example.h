// Sizes, and CTAs, at which something happens as the solver says.
#ifndef TILESIM_CHECKERS_GRID_EXAMPLE_H_
#define TILESIM_CHECKERS_GRID_EXAMPLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "checkers/grid/accesses.h"
#include "checkers/grid/question.h"
#include "ir/bind.h"

namespace tilesim::checkers::grid {

// A launch, and two CTAs of it, or one that is both.
struct Example {
  ir::Overrides sizes;  // parameters that are not fixed
  int64_t sm_count = 1;
  std::array<int64_t, 3> first{}, second{};  // CTAs
};

// `values`: of a point that answers the question.
Example ExampleAt(const Accesses& accesses, const Question& question,
                  const std::vector<int64_t>& values);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_EXAMPLE_H_
