#include "checkers/launch/boxes.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilesim::checkers::launch {

void Boxes::Add(int64_t owner, bool writes, std::span<const int64_t> low,
                std::span<const int64_t> high) {
  boxes_.push_back({owner, writes});
  corners_.insert(corners_.end(), low.begin(), low.end());
  corners_.insert(corners_.end(), high.begin(), high.end());
}

// Divides space by planes until few boxes are left between them; a box that a
// plane cuts is on both sides. Two boxes that overlap are together in the end.
class Search {
 public:
  Search(const Boxes& boxes, int64_t most,
         const std::function<bool(int64_t, int64_t)>& f)
      : boxes_(boxes), left_(most), f_(f) {}

  bool Run() {
    std::vector<int64_t> all(boxes_.size());
    std::iota(all.begin(), all.end(), 0);
    Divide(std::move(all));
    return left_ >= 0;
  }

 private:
  static constexpr size_t kFew = 16;

  struct Plane {
    int dimension = 0;
    int64_t at = 0;
    size_t cost = 0;  // boxes on the fuller side
  };

  void Divide(std::vector<int64_t> part) {
    if (done_ || left_ < 0 || !MayMeet(part)) return;
    left_ -= static_cast<int64_t>(part.size());
    if (part.size() <= kFew) return Compare(part);
    Plane plane = BestPlane(part);
    if (plane.cost * 10 > part.size() * 9) return Compare(part);
    std::vector<int64_t> below, above;
    for (int64_t b : part) {
      if (boxes_.low(b, plane.dimension) < plane.at) below.push_back(b);
      if (boxes_.high(b, plane.dimension) > plane.at) above.push_back(b);
    }
    part = {};
    Divide(std::move(below));
    Divide(std::move(above));
  }

  bool MayMeet(const std::vector<int64_t>& part) const {
    bool writes = false, several = false;
    for (int64_t b : part) {
      writes |= boxes_.boxes_[b].writes;
      several |= boxes_.boxes_[b].owner != boxes_.boxes_[part[0]].owner;
    }
    return writes && several;
  }

  // The median of where boxes begin, in the dimension that it divides best.
  Plane BestPlane(const std::vector<int64_t>& part) const {
    Plane best{0, 0, part.size()};
    for (int d = 0; d < boxes_.rank_; ++d) {
      std::vector<int64_t> lows;
      for (int64_t b : part) lows.push_back(boxes_.low(b, d));
      auto middle = lows.begin() + static_cast<int64_t>(lows.size() / 2);
      std::nth_element(lows.begin(), middle, lows.end());
      // Where it is the lowest of all, nothing would be below.
      int64_t at = *middle;
      if (*std::min_element(lows.begin(), middle + 1) == at) {
        auto above = std::partition(middle, lows.end(),
                                    [&](int64_t l) { return l <= at; });
        if (above == lows.end()) continue;
        at = *std::min_element(above, lows.end());
      }
      size_t below = 0, beyond = 0;
      for (int64_t b : part) {
        below += boxes_.low(b, d) < at;
        beyond += boxes_.high(b, d) > at;
      }
      size_t cost = std::max(below, beyond);
      if (cost < best.cost) best = {d, at, cost};
    }
    return best;
  }

  void Compare(const std::vector<int64_t>& part) {
    for (size_t i = 0; i < part.size() && !done_; ++i) {
      left_ -= static_cast<int64_t>(part.size() - i);
      if (left_ < 0) return;
      for (size_t k = i + 1; k < part.size() && !done_; ++k) {
        if (Conflict(part[i], part[k]))
          done_ = !f_(std::min(part[i], part[k]), std::max(part[i], part[k]));
      }
    }
  }

  bool Conflict(int64_t a, int64_t b) const {
    const Boxes::Box &one = boxes_.boxes_[a], &other = boxes_.boxes_[b];
    if (one.owner == other.owner || (!one.writes && !other.writes))
      return false;
    for (int d = 0; d < boxes_.rank_; ++d) {
      if (boxes_.low(a, d) >= boxes_.high(b, d) ||
          boxes_.low(b, d) >= boxes_.high(a, d))
        return false;
    }
    return true;
  }

  const Boxes& boxes_;
  int64_t left_;  // comparisons
  const std::function<bool(int64_t, int64_t)>& f_;
  bool done_ = false;
};

bool Boxes::ForOverlaps(int64_t most,
                        const std::function<bool(int64_t, int64_t)>& f) const {
  return Search(*this, most, f).Run();
}

}  // namespace tilesim::checkers::launch
