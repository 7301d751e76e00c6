#include "cli/sweep/search.h"

#include <cmath>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilesim::cli {
namespace {

std::vector<int64_t> To(int64_t count) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(i);
  return out;
}

// Costs by the values of the axes; what was asked, in order.
struct Asked {
  const Grid& grid;
  std::function<std::optional<double>(const std::vector<int64_t>&)> cost;
  std::vector<int64_t> points;

  CostsOf AsFunction() {
    return [this](const std::vector<int64_t>& batch) {
      std::vector<std::optional<double>> out;
      for (int64_t p : batch) {
        points.push_back(p);
        out.push_back(cost(grid.ValuesAt(p)));
      }
      return out;
    };
  }
  double Best() const {
    double best = INFINITY;
    for (int64_t p : points)
      best = std::min(best, cost(grid.ValuesAt(p)).value_or(INFINITY));
    return best;
  }
};

TEST(Search, FindsTheBottomOfABowlInFarFewerPointsThanTheGridHas) {
  Grid grid({{"A", To(12)}, {"B", To(12)}, {"C", To(12)}});
  Asked asked{grid, [](const auto& v) {
                return std::pow(v[0] - 3, 2) + std::pow(v[1] - 9, 2) +
                       std::pow(v[2] - 5, 2);
              }};
  SearchResult r = DescendFrom(grid, 0, 70, asked.AsFunction());
  EXPECT_EQ(asked.Best(), 0);
  EXPECT_LE(r.with_cost, 70);
  EXPECT_EQ(r.looked_at, static_cast<int64_t>(asked.points.size()));
}

TEST(Search, LooksAtNoPointTwiceAndKeepsToItsBudget) {
  Grid grid({{"A", To(7)}, {"B", To(9)}});
  Asked asked{grid, [](const auto& v) { return std::sin(v[0] * 9.0 + v[1]); }};
  SearchResult r = DescendFrom(grid, 31, 20, asked.AsFunction());
  EXPECT_EQ(r.with_cost, 20);
  std::set<int64_t> different(asked.points.begin(), asked.points.end());
  EXPECT_EQ(different.size(), asked.points.size());
}

TEST(Search, WithABudgetForAllItFindsTheBest) {
  Grid grid({{"A", To(7)}, {"B", To(9)}});
  Asked asked{grid, [](const auto& v) {
                return v[0] == 6 && v[1] == 1 ? -5
                                              : std::cos(v[0] + v[1] * 7.0);
              }};
  SearchResult r = DescendFrom(grid, 31, 1000, asked.AsFunction());
  EXPECT_EQ(r.looked_at, 63);
  EXPECT_EQ(asked.Best(), -5);
}

TEST(Search, PointsWithoutACostDoNotCountButAreBounded) {
  Grid grid({{"A", To(100)}, {"B", To(100)}});
  Asked some{grid, [](const auto& v) -> std::optional<double> {
               if (v[0] % 2 == 1) return std::nullopt;
               return v[0] + v[1];
             }};
  EXPECT_EQ(DescendFrom(grid, 5050, 10, some.AsFunction()).with_cost, 10);
  Asked none{grid, [](const auto&) { return std::nullopt; }};
  SearchResult r = DescendFrom(grid, 5050, 10, none.AsFunction());
  EXPECT_EQ(r.with_cost, 0);
  EXPECT_GE(r.looked_at, 200);
  EXPECT_LE(r.looked_at, 220);
}

TEST(Search, ALongAxisIsHalvedNotEnumerated) {
  Grid grid({{"A", To(10'000)}});
  Asked asked{grid, [](const auto& v) { return std::abs(v[0] - 7'321.0); }};
  DescendFrom(grid, 10, 200, asked.AsFunction());
  EXPECT_LE(asked.Best(), 1);
}

TEST(Search, AnEmptyAnswerEndsIt) {
  Grid grid({{"A", To(10)}, {"B", To(10)}});
  int calls = 0;
  DescendFrom(grid, 0, 50, [&](const std::vector<int64_t>&) {
    ++calls;
    return std::vector<std::optional<double>>();
  });
  EXPECT_EQ(calls, 1);
}

TEST(Search, IsDeterministic) {
  Grid grid({{"A", To(20)}, {"B", To(30)}, {"C", To(4)}});
  auto cost = [](const auto& v) { return std::sin(v[0] * v[1] + v[2]); };
  Asked a{grid, cost}, b{grid, cost};
  DescendFrom(grid, 7, 90, a.AsFunction());
  DescendFrom(grid, 7, 90, b.AsFunction());
  EXPECT_EQ(a.points, b.points);
}

}  // namespace
}  // namespace tilesim::cli
