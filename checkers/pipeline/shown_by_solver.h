// What the solver shows of a kernel at all sizes, besides what its text shows:
// asked for where the verdict is open without that.
#ifndef TILESIM_CHECKERS_PIPELINE_SHOWN_BY_SOLVER_H_
#define TILESIM_CHECKERS_PIPELINE_SHOWN_BY_SOLVER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "checkers/grid/inside.h"
#include "checkers/grid/words.h"
#include "checkers/sizes/partition/cover.h"
#include "checkers/sizes/partition/free_trips.h"

namespace tilesim::checkers::pipeline {

class ShownBySolver {
 public:
  ShownBySolver() = default;
  // `inside`: grid/inside.h. `entered`, `positive`: grid/entered.h. `once`:
  // place_inputs.h. `stored`: tensors of flags (grid/coverage.h).
  ShownBySolver(std::set<grid::Side> inside, std::set<grid::Site> entered,
                std::set<int32_t> positive, std::set<int32_t> once,
                std::set<std::string> stored)
      : inside_(std::move(inside)),
        entered_(std::move(entered)),
        positive_(std::move(positive)),
        once_(std::move(once)),
        stored_(std::move(stored)) {}

  bool empty() const {
    return inside_.empty() && entered_.empty() && positive_.empty() &&
           once_.empty() && stored_.empty();
  }
  // Slots of lets that are 1 or more.
  const std::set<int32_t>& positive() const { return positive_; }
  // Declarations of inputs of which one draw stands for all.
  const std::set<int32_t>& once() const { return once_; }

  // Tensors of flags of which every word is set.
  const std::set<std::string>& stored() const { return stored_; }

  // Null, if nothing is. Of this, which has to live as long.
  sizes::partition::IsInside Inside() const {
    if (inside_.empty()) return nullptr;
    return [this](const ir::Op& op, int32_t operand, int32_t dim) {
      return inside_.contains({grid::Site::Of(op, operand), dim});
    };
  }
  sizes::partition::IsEntered Entered() const {
    if (entered_.empty()) return nullptr;
    return [this](const ir::Stmt& loop) {
      return entered_.contains(grid::Site::Of(loop));
    };
  }

 private:
  std::set<grid::Side> inside_;
  std::set<grid::Site> entered_;
  std::set<int32_t> positive_, once_;
  std::set<std::string> stored_;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_SHOWN_BY_SOLVER_H_
