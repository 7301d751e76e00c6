#include "checkers/order/milestones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tilesim::checkers::order {
namespace {

constexpr int32_t kOperations = 700;  // some pieces, the last one in part

// The same, one by one.
struct Flat {
  std::vector<Reached> all = std::vector<Reached>(kOperations);
  bool AtLeast(const Flat& b) const {
    for (int32_t i = 0; i < kOperations; ++i) {
      if (all[i] < b.all[i]) return false;
    }
    return true;
  }
};

void ExpectSame(const Milestones& a, const Flat& b) {
  for (int32_t i = 0; i < kOperations; ++i) ASSERT_EQ(a.Of(i), b.all[i]) << i;
  EXPECT_EQ(a.Of(1'000'000), Reached::kNothing);
}

// Runs of operations that are done, as there are in a program, and single ones.
TEST(MilestonesTest, AreThoseOfEachOperation) {
  std::mt19937 random(24);
  auto below = [&](int n) { return static_cast<int32_t>(random() % n); };
  constexpr int kClocks = 6;
  std::vector<Milestones> clocks(kClocks);
  std::vector<Flat> flat(kClocks);
  for (int step = 0; step < 3'000; ++step) {
    const int32_t to = below(kClocks), from = below(kClocks);
    switch (below(8)) {
      case 0:
        clocks[to].Max(clocks[from]);
        for (int32_t i = 0; i < kOperations; ++i)
          flat[to].all[i] = std::max(flat[to].all[i], flat[from].all[i]);
        break;
      case 1:
        if (below(4) != 0) break;
        clocks[to].Min(clocks[from]);
        for (int32_t i = 0; i < kOperations; ++i)
          flat[to].all[i] = std::min(flat[to].all[i], flat[from].all[i]);
        break;
      case 2:
        clocks[to] = clocks[from];
        flat[to] = flat[from];
        break;
      default: {
        const int32_t first = below(kOperations);
        const int32_t end =
            std::min(kOperations, first + (below(3) == 0 ? 400 : 1));
        const auto reached = static_cast<Reached>(below(5));
        for (int32_t i = first; i < end; ++i) {
          clocks[to].Add(i, reached);
          flat[to].all[i] = std::max(flat[to].all[i], reached);
        }
      }
    }
    if (step % 50 == 0) {
      for (int i = 0; i < kClocks; ++i) ExpectSame(clocks[i], flat[i]);
    }
    ASSERT_EQ(clocks[to].AtLeast(clocks[from]), flat[to].AtLeast(flat[from]));
    ASSERT_EQ(clocks[from].AtLeast(clocks[to]), flat[from].AtLeast(flat[to]));
  }
}

// What is written to a copy is not written to what it was copied from.
TEST(MilestonesTest, CopiesAreTheirOwn) {
  Milestones a;
  a.Add(3, Reached::kStarted);
  Milestones b = a;
  b.Add(3, Reached::kDone);
  b.Add(4, Reached::kRead);
  EXPECT_EQ(a.Of(3), Reached::kStarted);
  EXPECT_EQ(a.Of(4), Reached::kNothing);
  EXPECT_FALSE(a.AtLeast(b));
  EXPECT_TRUE(b.AtLeast(a));
}

// A clock takes 16 bytes for 64 operations, and those 64 that are not over.
TEST(RoomTest, EndsAndIsGivenBack) {
  constexpr int64_t kRoom = 100'000;
  const Room room(kRoom);
  int64_t operations = 0;
  for (int i = 0; i < 3; ++i) {
    std::vector<Milestones> clocks(1);
    EXPECT_THROW(
        for (;;) {
          clocks.back().Add(static_cast<int32_t>(operations), Reached::kRead);
          ++operations;
          clocks.push_back(clocks.back());
        },
        OutOfRoom);
    EXPECT_GT(operations, 60);
    EXPECT_LT(operations, kRoom / 64);
    operations = 0;
  }
}

}  // namespace
}  // namespace tilesim::checkers::order
