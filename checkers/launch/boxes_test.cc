// Random boxes: overlaps that the search finds against all pairs.
#include "checkers/launch/boxes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace tilesim::checkers::launch {
namespace {

struct Plain {
  int64_t owner = 0;
  bool writes = false;
  std::vector<int64_t> low, high;
};

bool Overlap(const Plain& a, const Plain& b) {
  if (a.owner == b.owner || (!a.writes && !b.writes)) return false;
  for (size_t d = 0; d < a.low.size(); ++d) {
    if (a.low[d] >= b.high[d] || b.low[d] >= a.high[d]) return false;
  }
  return true;
}

using Pairs = std::set<std::pair<int64_t, int64_t>>;

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}
  int64_t Up(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n)(random_);
  }
  std::vector<Plain> Make(int rank) {
    std::vector<Plain> out(static_cast<size_t>(2 + Up(200)));
    int64_t space = 4 + Up(200), extent = 1 + Up(12), owners = 1 + Up(30);
    for (Plain& p : out) {
      p.owner = Up(owners);
      p.writes = Up(2) == 0;
      for (int d = 0; d < rank; ++d) {
        p.low.push_back(Up(space));
        p.high.push_back(p.low.back() + 1 + Up(extent));
      }
    }
    return out;
  }

 private:
  std::mt19937 random_;
};

TEST(Boxes, FindAllThatOverlap) {
  int64_t pairs = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Maker maker(seed);
    int rank = 1 + static_cast<int>(seed % 3);
    std::vector<Plain> all = maker.Make(rank);
    Boxes boxes(rank);
    for (const Plain& p : all) boxes.Add(p.owner, p.writes, p.low, p.high);
    Pairs found, expected;
    ASSERT_TRUE(boxes.ForOverlaps(1'000'000, [&](int64_t i, int64_t k) {
      found.emplace(i, k);
      return true;
    }));
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = i + 1; k < all.size(); ++k) {
        if (Overlap(all[i], all[k])) expected.emplace(i, k);
      }
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
    pairs += static_cast<int64_t>(expected.size());
  }
  EXPECT_GT(pairs, 10'000);
}

TEST(Boxes, SaysWhenItStops) {
  Boxes boxes(1);
  for (int64_t i = 0; i < 1000; ++i) {
    int64_t low = 0, high = 10;
    boxes.Add(i, true, {&low, 1}, {&high, 1});
  }
  auto on = [](int64_t, int64_t) { return true; };
  EXPECT_FALSE(boxes.ForOverlaps(100'000, on));
  EXPECT_TRUE(boxes.ForOverlaps(10'000'000, on));
  EXPECT_TRUE(
      boxes.ForOverlaps(100'000, [](int64_t, int64_t) { return false; }));
}

// A grid of tiles takes no more comparisons than sorting it does.
TEST(Boxes, TilesOfAPlaneAreApart) {
  Boxes boxes(2);
  const int64_t n = 316;
  for (int64_t i = 0; i < n * n; ++i) {
    int64_t low[] = {i / n * 128, i % n * 128};
    int64_t high[] = {low[0] + 128, low[1] + 128};
    boxes.Add(i, true, low, high);
  }
  EXPECT_TRUE(boxes.ForOverlaps(60 * n * n, [](int64_t, int64_t) {
    ADD_FAILURE() << "none overlap";
    return true;
  }));
}

}  // namespace
}  // namespace tilesim::checkers::launch
