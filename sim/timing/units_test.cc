#include "sim/timing/units.h"

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

constexpr double kBytes = 1 << 20;
constexpr uint64_t kLow = 0xff, kHigh = 0xff00;

L2Cache Cold() { return L2Cache(kBytes, kBytes, kBytes, {}); }

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
  L2Cache l2(1024, 1024, 1024, {});
  l2.Touch({1, kLow, 100}, 0, true);
  l2.Touch({2, kLow, 100}, 0, false);
  EXPECT_EQ(l2.Missing({1, kLow, 100}).rows, kLow);
  EXPECT_EQ(l2.Missing({2, kLow, 100}).rows, 0u);
  L2Cache again(1024, 1024, 1024, {});
  again.Touch({1, kLow, 100}, 0, true);
  EXPECT_EQ(again.Touch({2, kLow, 100}, 0, false).evicted, 800);
}

// calibration.json l2.reread: less of what SMs of both sides read is kept.
TEST(L2Cache, WhatBothSidesReadTakesMoreRoom) {
  L2Cache l2(1600, 800, 1600, {});
  l2.Touch({1, kLow, 100}, 0, false, 0);
  l2.Touch({2, kLow, 100}, 0, false, 0);
  EXPECT_EQ(l2.Missing({1, kLow, 100}).rows, 0u);
  l2.Touch({2, kLow, 100}, 0, false, 1);
  EXPECT_EQ(l2.Missing({1, kLow, 100}).rows, kLow);
  EXPECT_EQ(l2.Missing({2, kLow, 100}).rows, 0u);
}

// calibration.json stream.rate: arrays that fit into L2 are read and written,
// cold, no faster than HBM takes both.
TEST(L2Cache, WhatWasWrittenFirstGoesToHbmFirst) {
  L2Cache l2(kBytes, kBytes, 1000, {});
  EXPECT_EQ(l2.Touch({1, kLow, 100}, 0, true).evicted, 0);
  EXPECT_EQ(l2.Touch({1, kLow, 100}, 0, true).evicted, 0);  // the same again
  EXPECT_EQ(l2.Touch({2, kLow, 100}, 0, true).evicted, 800);
  EXPECT_EQ(l2.Touch({1, kLow, 100}, 0, true).evicted, 800);
  EXPECT_EQ(l2.misses(), 1600);
}

// What the launch before left is as old as can be.
TEST(L2Cache, WhatTheLaunchBeforeWroteLeavesFirst) {
  L2Cache l2(kBytes, kBytes, 1000, {.part = 1, .dirty = 900});
  EXPECT_EQ(l2.Touch({1, kLow, 100}, 0, true).evicted, 700);
  EXPECT_EQ(l2.Touch({2, kLow, 100}, 0, true).evicted, 1000);
}

// Half of share / (1 - share) of a request's length: half of the time is asked
// for, of which a request's own part of the last 4,096 cycles is not ahead of
// it.
TEST(Crowd, WaitsByHowFullAUnitIs) {
  Crowd crowd{0.95};
  double waits = 0;
  for (int i = 0; i < 1000; ++i) waits = crowd.Ask(100 * i, 50);
  const double ahead = 0.5 * (1 - 100.0 / 4096);
  EXPECT_NEAR(waits, ahead / (2 * (1 - ahead)), 1e-3);
  EXPECT_EQ(crowd.Ask(1e6, 50), 0);
}

TEST(L2Cache, WarmHoldsEveryTensor) {
  L2Cache l2(kBytes, kBytes, kBytes, {.part = 1});
  EXPECT_EQ(l2.Touch({1, kLow, 128}, 700, false).available, 0);
  EXPECT_EQ(l2.misses(), 0);
}

TEST(L2Cache, WarmHoldsAPartOfWhatDoesNotFit) {
  L2Cache l2(1e9, 1e9, 1e9, {.part = 0.25});
  for (uint64_t key = 0; key < 1000; ++key)
    l2.Touch({key << 28, kLow, 100}, 700, false);
  EXPECT_NEAR(l2.hits() / (l2.hits() + l2.misses()), 0.25, 0.05);
}

}  // namespace
}  // namespace tilesim::timing
