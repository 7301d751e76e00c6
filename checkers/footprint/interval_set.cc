#include "checkers/footprint/interval_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilesim::checkers::footprint {
namespace {

using Iterator = std::vector<Interval>::const_iterator;

bool Before(const Interval& a, const Interval& b) { return a.begin < b.begin; }

// The first interval that ends behind `position`.
Iterator Behind(const std::vector<Interval>& all, int64_t position) {
  return std::partition_point(all.begin(), all.end(), [=](const Interval& i) {
    return i.end <= position;
  });
}

}  // namespace

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.begin >= i.end; });
  if (!std::is_sorted(intervals.begin(), intervals.end(), Before))
    std::sort(intervals.begin(), intervals.end(), Before);
  size_t n = 0;
  for (const Interval& i : intervals) {
    if (n > 0 && i.begin <= intervals[n - 1].end) {
      intervals[n - 1].end = std::max(intervals[n - 1].end, i.end);
    } else {
      intervals[n++] = i;
    }
  }
  intervals.resize(n);
  if (2 * n < intervals.capacity()) intervals.shrink_to_fit();
  Set(std::move(intervals));
}

void IntervalSet::Set(std::vector<Interval> intervals) {
  hull_ = {};
  intervals_.reset();
  if (intervals.empty()) return;
  hull_ = {intervals.front().begin, intervals.back().end};
  intervals_ =
      std::make_shared<const std::vector<Interval>>(std::move(intervals));
}

const std::vector<Interval>& IntervalSet::intervals() const {
  static const std::vector<Interval> kNone;
  return empty() ? kNone : *intervals_;
}

bool IntervalSet::Overlaps(const IntervalSet& other) const {
  return hull_.Overlaps(other.hull_) && FirstCommon(other) != INT64_MIN;
}

int64_t IntervalSet::FirstCommon(const IntervalSet& other) const {
  if (!hull_.Overlaps(other.hull_)) return INT64_MIN;
  if (intervals_ == other.intervals_) return hull_.begin;
  Iterator a = Behind(intervals(), other.hull_.begin);
  Iterator b = Behind(other.intervals(), hull_.begin);
  while (a != intervals().end() && b != other.intervals().end()) {
    int64_t low = std::max(a->begin, b->begin);
    if (low < std::min(a->end, b->end)) return low;
    a->end < b->end ? ++a : ++b;
  }
  return INT64_MIN;
}

bool IntervalSet::Covers(const IntervalSet& other) const {
  if (intervals_ == other.intervals_) return true;
  if (other.hull_.begin < hull_.begin || hull_.end < other.hull_.end)
    return other.empty();
  Iterator a = Behind(intervals(), other.hull_.begin);
  return std::all_of(other.intervals().begin(), other.intervals().end(),
                     [&](const Interval& i) {
                       while (a->end < i.end) ++a;
                       return a->begin <= i.begin;
                     });
}

void IntervalSet::Add(const IntervalSet& other) {
  if (Covers(other)) return;
  std::vector<Interval> all;
  std::merge(intervals().begin(), intervals().end(), other.intervals().begin(),
             other.intervals().end(), std::back_inserter(all), Before);
  *this = IntervalSet(std::move(all));
}

void IntervalSet::Subtract(const IntervalSet& other) {
  if (!hull_.Overlaps(other.hull_)) return;
  if (other.Covers(*this)) return Set({});
  if (FirstCommon(other) == INT64_MIN) return;
  std::vector<Interval> left;
  Iterator b = Behind(other.intervals(), hull_.begin);
  for (Interval i : intervals()) {
    while (b != other.intervals().end() && b->end <= i.begin) ++b;
    // An interval of `other` may reach into the next of ours: keep b.
    for (Iterator k = b; k != other.intervals().end() && k->begin < i.end;
         ++k) {
      if (i.begin < k->begin) left.push_back({i.begin, k->begin});
      i.begin = std::max(i.begin, k->end);
    }
    if (i.begin < i.end) left.push_back(i);
  }
  Set(std::move(left));
}

void IntervalPile::Add(IntervalSet set) {
  heaps_.push_back({std::move(set), 0});
  while (heaps_.size() > 1 && heaps_.back().adds == heaps_.end()[-2].adds)
    MergeLast();
}

IntervalSet IntervalPile::Take() {
  while (heaps_.size() > 1) MergeLast();
  IntervalSet out = heaps_.empty() ? IntervalSet() : heaps_.back().all;
  heaps_.clear();
  return out;
}

void IntervalPile::MergeLast() {
  Heap last = std::move(heaps_.back());
  heaps_.pop_back();
  heaps_.back().all.Add(last.all);
  ++heaps_.back().adds;
}

IntervalSet IntervalSet::Shifted(int64_t offset) const {
  std::vector<Interval> out = intervals();
  for (Interval& i : out) {
    i.begin += offset;
    i.end += offset;
  }
  IntervalSet shifted;
  shifted.Set(std::move(out));
  return shifted;
}

}  // namespace tilesim::checkers::footprint
