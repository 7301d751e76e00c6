#include "sim/timing/units.h"

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

constexpr double kBytes = 1 << 20;
constexpr uint64_t kLow = 0xff, kHigh = 0xff00;

L2Cache Cold() { return L2Cache(kBytes, {}); }

TEST(L2Cache, RowsOfABlockAreFetchedByThemselves) {
  L2Cache l2 = Cold();
  EXPECT_EQ(l2.Touch({1, kLow, 128}, 700, false).available, 700);
  EXPECT_EQ(l2.Missing({1, kHigh, 128}).bytes(), 8 * 128);
  EXPECT_EQ(l2.Missing({1, kLow | kHigh, 128}).rows, kHigh);
  EXPECT_EQ(l2.Touch({1, kHigh, 128}, 900, false).available, 900);
  EXPECT_EQ(l2.misses(), 16 * 128);
  EXPECT_EQ(l2.hits(), 0);
}

TEST(L2Cache, WhatIsThereIsNotFetchedAgain) {
  L2Cache l2 = Cold();
  l2.Touch({1, kLow, 128}, 700, false);
  EXPECT_EQ(l2.Touch({1, kLow, 128}, 5000, false).available, 700);
  EXPECT_EQ(l2.hits(), 8 * 128);
}

TEST(L2Cache, TheOldestBlockLeavesAndIsWrittenIfItWas) {
  L2Cache l2(1024, {});
  l2.Touch({1, kLow, 100}, 0, true);
  l2.Touch({2, kLow, 100}, 0, false);
  EXPECT_EQ(l2.Missing({1, kLow, 100}).rows, kLow);
  EXPECT_EQ(l2.Missing({2, kLow, 100}).rows, 0u);
  L2Cache again(1024, {});
  again.Touch({1, kLow, 100}, 0, true);
  EXPECT_EQ(again.Touch({2, kLow, 100}, 0, false).evicted, 800);
}

TEST(L2Cache, WarmHoldsEveryTensor) {
  L2Cache l2(kBytes, {.all = true});
  EXPECT_EQ(l2.Touch({1, kLow, 128}, 700, false).available, 0);
  EXPECT_EQ(l2.misses(), 0);
}

}  // namespace
}  // namespace tilesim::timing
