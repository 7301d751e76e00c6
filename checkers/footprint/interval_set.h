// A set of bytes (or of register elements) as sorted, disjoint intervals.
#ifndef TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_
#define TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tilesim::checkers::footprint {

struct Interval {
  int64_t begin = 0;
  int64_t end = 0;  // exclusive

  bool Overlaps(const Interval& other) const {
    return begin < other.end && other.begin < end;
  }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Copies share their intervals until one of them changes.
class IntervalSet {
 public:
  IntervalSet() = default;
  // Any intervals, in any order.
  explicit IntervalSet(std::vector<Interval> intervals);

  bool empty() const { return intervals_ == nullptr; }
  const std::vector<Interval>& intervals() const;
  // From its first position to its last; {0, 0} if it is empty.
  const Interval& hull() const { return hull_; }
  bool Overlaps(const IntervalSet& other) const;
  // Whether all of `other` is in this.
  bool Covers(const IntervalSet& other) const;
  // First position in both; only when they overlap.
  int64_t FirstCommon(const IntervalSet& other) const;
  // Takes in what is in `other`.
  void Add(const IntervalSet& other);
  // Takes away what is in `other`.
  void Subtract(const IntervalSet& other);
  // Every position plus `offset`.
  IntervalSet Shifted(int64_t offset) const;

  friend bool operator==(const IntervalSet& a, const IntervalSet& b) {
    return a.hull_ == b.hull_ &&
           (a.intervals_ == b.intervals_ || a.intervals() == b.intervals());
  }

 private:
  // Sorted and disjoint.
  void Set(std::vector<Interval> intervals);

  std::shared_ptr<const std::vector<Interval>> intervals_;  // null: empty
  Interval hull_;
};

// Many sets as one, for less than it takes to add each to those before.
class IntervalPile {
 public:
  void Add(IntervalSet set);
  // All of them; the pile is empty then.
  IntervalSet Take();

 private:
  struct Heap {
    IntervalSet all;
    int adds;  // that went into it, as a power of 2
  };

  void MergeLast();

  std::vector<Heap> heaps_;  // ever fewer adds
};

}  // namespace tilesim::checkers::footprint

#endif  // TILESIM_CHECKERS_FOOTPRINT_INTERVAL_SET_H_
