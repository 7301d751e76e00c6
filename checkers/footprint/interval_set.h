// A set of bytes (or of register elements) as sorted, disjoint intervals.
#ifndef TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_
#define TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_

#include <cstdint>
#include <vector>

namespace tilesim::checkers {

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;  // exclusive

  friend bool operator==(const Interval&, const Interval&) = default;
};

class IntervalSet {
 public:
  IntervalSet() = default;
  // Any intervals, in any order.
  explicit IntervalSet(std::vector<Interval> intervals);

  bool empty() const { return intervals_.empty(); }
  const std::vector<Interval>& intervals() const { return intervals_; }
  bool Overlaps(const IntervalSet& other) const;
  // First position in both; only when they overlap.
  int64_t FirstCommon(const IntervalSet& other) const;
  // Takes in what is in `other`.
  void Add(const IntervalSet& other);
  // Takes away what is in `other`.
  void Subtract(const IntervalSet& other);
  // Every position plus `offset`.
  IntervalSet Shifted(int64_t offset) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  std::vector<Interval> intervals_;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_
