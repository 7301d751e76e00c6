// How many states searches of schedules may look at. It is a number of
// states and not a time, so that a verdict is the same on any machine.
#ifndef TILESIM_CHECKERS_PIPELINE_BUDGET_H_
#define TILESIM_CHECKERS_PIPELINE_BUDGET_H_

#include <algorithm>
#include <cstdint>

namespace tilesim::checkers::pipeline {

class SearchBudget {
 public:
  // `max_states`: of each cluster; 0: as below.
  explicit SearchBudget(int64_t max_states) : max_states_(max_states) {}

  // For the next cluster. `sizes_open`: sizes that were not run leave the
  // verdict open anyway. `wrong`: an error was found before, and the search is
  // for what else there is.
  int64_t ForCluster(bool sizes_open, bool wrong) const {
    int64_t most = max_states_;
    if (most == 0) most = sizes_open ? kStatesOfSome : kStates;
    return wrong ? std::min(most, more_) : most;
  }
  void Spend(int64_t states, bool wrong) {
    if (wrong) more_ = std::max<int64_t>(0, more_ - states);
  }

  static constexpr int64_t kStates = 100'000;
  static constexpr int64_t kStatesOfSome = 10'000;

 private:
  // In all, where something was found before.
  static constexpr int64_t kMoreStates = 5'000;

  int64_t max_states_;
  int64_t more_ = kMoreStates;
};

}  // namespace tilesim::checkers::pipeline

#endif  // TILESIM_CHECKERS_PIPELINE_BUDGET_H_
