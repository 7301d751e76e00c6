#include "cli/sweep/search.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilesim::cli {
namespace {

constexpr int64_t kShortAxis = 16;
constexpr int64_t kOthersPerPoint = 20;  // points without a cost

class Descent {
 public:
  Descent(const Grid& grid, int64_t budget, const CostsOf& costs_of)
      : grid_(grid), budget_(budget), costs_of_(costs_of) {}

  SearchResult Run(int64_t start) {
    // As irrational as an integer stride can be, so that starts lie apart.
    constexpr double kGolden = 0.6180339887498949;
    int64_t size = grid_.size();
    int64_t stride = std::max<int64_t>(
        1, static_cast<int64_t>(static_cast<double>(size) * kGolden));
    while (std::gcd(stride, size) != 1) ++stride;
    for (int64_t n = 0; n < size && !Over(); ++n) {
      int64_t from = static_cast<int64_t>(
          (start + static_cast<__int128>(n) * stride) % size);
      if (n > 0 && costs_.contains(from)) continue;
      ++result_.starts;
      DescendFrom(from);
    }
    return result_;
  }

 private:
  bool Over() const {
    return ended_ || result_.with_cost >= budget_ ||
           result_.looked_at - result_.with_cost >= kOthersPerPoint * budget_;
  }

  void DescendFrom(int64_t at) {
    Look({at});
    std::vector<size_t> axes = grid_.varied();
    size_t unchanged = 0;
    for (size_t i = 0; unchanged < axes.size() && !Over(); ++i) {
      int64_t next = BestOnAxis(at, axes[i % axes.size()]);
      unchanged = next == at ? unchanged + 1 : 0;
      at = next;
    }
  }

  int64_t BestOnAxis(int64_t at, size_t axis) {
    std::vector<int64_t> line = Line(at, axis);
    Look(line);
    int64_t best = at;
    for (int64_t point : line) {
      if (Better(point, best)) best = point;
    }
    return best;
  }

  bool Better(int64_t a, int64_t b) const {
    auto cost = [&](int64_t point) -> std::optional<double> {
      auto known = costs_.find(point);
      return known == costs_.end() ? std::nullopt : known->second;
    };
    return cost(a) && (!cost(b) || *cost(a) < *cost(b));
  }

  // The nearest first.
  std::vector<int64_t> Line(int64_t at, size_t axis) const {
    auto places = static_cast<int64_t>(grid_.axes()[axis].values.size());
    int64_t here = grid_.PlaceOn(axis, at);
    std::vector<int64_t> out;
    for (int64_t away = 1;
         away<places; away = places> kShortAxis ? 2 * away : away + 1) {
      for (int64_t place : {here - away, here + away}) {
        if (place >= 0 && place < places)
          out.push_back(grid_.Moved(at, axis, place));
      }
    }
    return out;
  }

  // Those whose cost is not known, as long as the budget lasts.
  void Look(const std::vector<int64_t>& points) {
    std::vector<int64_t> batch;
    auto end = points.begin();
    while (!Over() && end != points.end()) {
      batch.clear();
      for (; end != points.end() &&
             static_cast<int64_t>(batch.size()) < budget_ - result_.with_cost;
           ++end) {
        if (!costs_.contains(*end)) batch.push_back(*end);
      }
      if (!batch.empty()) Ask(batch);
    }
  }

  void Ask(const std::vector<int64_t>& batch) {
    std::vector<std::optional<double>> costs = costs_of_(batch);
    ended_ = costs.size() != batch.size();
    for (size_t i = 0; i < costs.size(); ++i) {
      costs_[batch[i]] = costs[i];
      ++result_.looked_at;
      if (costs[i]) ++result_.with_cost;
    }
  }

  const Grid& grid_;
  const int64_t budget_;
  const CostsOf& costs_of_;
  std::map<int64_t, std::optional<double>> costs_;
  SearchResult result_;
  bool ended_ = false;
};

}  // namespace

SearchResult DescendFrom(const Grid& grid, int64_t start, int64_t budget,
                         const CostsOf& costs_of) {
  return Descent(grid, budget, costs_of).Run(start);
}

}  // namespace tilesim::cli
