// Boxes of one tensor, and those of different owners that overlap.
#ifndef TILESIM_CHECKERS_LAUNCH_BOXES_H_
#define TILESIM_CHECKERS_LAUNCH_BOXES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tilesim::checkers::launch {

class Boxes {
 public:
  explicit Boxes(int rank) : rank_(rank) {}

  // Elements from `low` on, below `high`, in each dimension: one at least.
  void Add(int64_t owner, bool writes, std::span<const int64_t> low,
           std::span<const int64_t> high);
  int64_t size() const { return static_cast<int64_t>(boxes_.size()); }

  // Pairs that overlap, of different owners, of which one writes, in the order
  // in which they were added; more than once, maybe. `f` says whether to go on.
  // False: it would take more than `most` comparisons.
  bool ForOverlaps(int64_t most,
                   const std::function<bool(int64_t, int64_t)>& f) const;

 private:
  struct Box {
    int64_t owner = 0;
    bool writes = false;
  };

  int64_t low(int64_t box, int d) const {
    return corners_[2 * rank_ * box + d];
  }
  int64_t high(int64_t box, int d) const {
    return corners_[2 * rank_ * box + rank_ + d];
  }
  friend class Search;

  int rank_;
  std::vector<Box> boxes_;
  std::vector<int64_t> corners_;  // of each box: low, then high
};

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_BOXES_H_
