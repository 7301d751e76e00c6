#include "checkers/footprint/interval_set.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers {

IntervalSet::IntervalSet(std::vector<Interval> intervals)
    : intervals_(std::move(intervals)) {
  auto before = [](const Interval& a, const Interval& b) {
    return a.begin < b.begin;
  };
  std::erase_if(intervals_, [](const Interval& i) { return i.begin >= i.end; });
  if (!std::is_sorted(intervals_.begin(), intervals_.end(), before))
    std::sort(intervals_.begin(), intervals_.end(), before);
  size_t n = 0;
  for (const Interval& i : intervals_) {
    if (n > 0 && i.begin <= intervals_[n - 1].end) {
      intervals_[n - 1].end = std::max(intervals_[n - 1].end, i.end);
    } else {
      intervals_[n++] = i;
    }
  }
  intervals_.resize(n);
  if (2 * n < intervals_.capacity()) intervals_.shrink_to_fit();
}

bool IntervalSet::Overlaps(const IntervalSet& other) const {
  return FirstCommon(other) != INT64_MIN;
}

int64_t IntervalSet::FirstCommon(const IntervalSet& other) const {
  size_t i = 0, j = 0;
  const auto &a = intervals_, &b = other.intervals_;
  if (a.empty() || b.empty() || a.back().end <= b.front().begin ||
      b.back().end <= a.front().begin)
    return INT64_MIN;
  while (i < a.size() && j < b.size()) {
    int64_t low = std::max(a[i].begin, b[j].begin);
    if (low < std::min(a[i].end, b[j].end)) return low;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return INT64_MIN;
}

void IntervalSet::Add(const IntervalSet& other) {
  IntervalSet missing = other;
  missing.Subtract(*this);
  if (missing.empty()) return;
  std::vector<Interval> all = std::move(missing.intervals_);
  all.insert(all.end(), intervals_.begin(), intervals_.end());
  *this = IntervalSet(std::move(all));
}

void IntervalSet::Subtract(const IntervalSet& other) {
  if (!Overlaps(other)) return;
  std::vector<Interval> left;
  size_t j = 0;
  const auto& b = other.intervals_;
  for (Interval i : intervals_) {
    while (j < b.size() && b[j].end <= i.begin) ++j;
    // An interval of `other` may reach into the next of ours: keep j.
    for (size_t k = j; k < b.size() && b[k].begin < i.end; ++k) {
      if (i.begin < b[k].begin) left.push_back({i.begin, b[k].begin});
      i.begin = std::max(i.begin, b[k].end);
    }
    if (i.begin < i.end) left.push_back(i);
  }
  intervals_ = std::move(left);
}

IntervalSet IntervalSet::Shifted(int64_t offset) const {
  IntervalSet out = *this;
  for (Interval& i : out.intervals_) {
    i.begin += offset;
    i.end += offset;
  }
  return out;
}

}  // namespace tilesim::checkers
