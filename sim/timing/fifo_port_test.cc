#include "sim/timing/fifo_port.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

TEST(FifoPort, ALoneRequestTakesAsLongAsItComesIn) {
  FifoPort port;
  EXPECT_NEAR(port.Finish(port.Ask(0, 100, 40, 30)), 140, 1e-9);
}

TEST(FifoPort, WhatKeepsItForLongerThanItComesInTakesThat) {
  FifoPort port;
  EXPECT_NEAR(port.Finish(port.Ask(0, 100, 10, 30)), 130, 1e-9);
}

TEST(FifoPort, ThoseWhoAskTogetherEndTogether) {
  FifoPort port;
  const int32_t a = port.Ask(0, 100, 30, 30), b = port.Ask(1, 100, 30, 30);
  EXPECT_NEAR(port.Finish(a), 160, 1e-9);
  EXPECT_NEAR(port.Finish(b), 160, 1e-9);
}

// 10 cycles before the other: half of what comes in meanwhile is behind it.
TEST(FifoPort, WhoIsALittleEarlierIsThroughMuchEarlier) {
  FifoPort port;
  const int32_t a = port.Ask(0, 0, 30, 60), b = port.Ask(1, 10, 30, 60);
  EXPECT_NEAR(port.Finish(a), 100, 1e-9);
  EXPECT_NEAR(port.Finish(b), 120, 1e-9);
}

TEST(FifoPort, WhoComesAfterAllHasComeInPutsOffNobody) {
  FifoPort port;
  const int32_t a = port.Ask(0, 0, 10, 50);
  const int32_t b = port.Ask(1, 10, 10, 20);
  EXPECT_NEAR(port.Finish(a), 50, 1e-9);
  EXPECT_NEAR(port.Finish(b), 70, 1e-9);
}

TEST(FifoPort, WhatOneWantsComesInOneAfterTheOther) {
  FifoPort port;
  const int32_t first = port.Ask(0, 0, 10, 5);
  EXPECT_EQ(port.Begin(0, 0), 10);
  EXPECT_EQ(port.Begin(1, 0), 0);
  const int32_t second = port.Ask(0, 0, 10, 5);
  EXPECT_NEAR(port.Finish(first), 10, 1e-9);
  EXPECT_NEAR(port.Finish(second), 20, 1e-9);
}

TEST(FifoPort, WhatIsKeptIsRemembered) {
  FifoPort port;
  const int32_t kept = port.Ask(0, 0, 10, 10);
  port.Keep(kept);
  for (int i = 1; i < 50; ++i) port.Ask(i % 3, 100 * i, 10, 10);
  EXPECT_NEAR(port.Finish(kept), 10, 1e-9);
  port.Release(kept);
}

// Against small steps of time, in which what comes in joins a queue.
TEST(FifoPort, IsWhatSmallStepsGive) {
  struct Asked {
    double begin, end, rate;
    int32_t request;
    double done = 0;
  };
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    FifoPort port;
    std::vector<Asked> all;
    std::vector<double> last(4, 0);
    for (int i = 0, now = 0; i < 40;
         ++i, now += static_cast<int>(random() % 30)) {
      const int user = static_cast<int>(random() % 4);
      const double length = 1 + random() % 20, time = 1 + random() % 20;
      const double begin = std::max<double>(now, last[user]);
      last[user] = begin + length;
      all.push_back({begin, begin + length, time / length,
                     port.Ask(user, now, length, time)});
      port.Keep(all.back().request);
    }
    constexpr double kStep = 1.0 / 64;
    double behind = 0;
    for (double now = 0; now < 3000; now += kStep) {
      double in = 0;
      for (const Asked& a : all)
        if (a.begin <= now && now < a.end) in += a.rate;
      behind = std::max(0.0, behind + (in - 1) * kStep);
      for (Asked& a : all) {
        if (now < a.end && a.end <= now + kStep) a.done = a.end + behind;
      }
    }
    for (const Asked& a : all) EXPECT_NEAR(port.Finish(a.request), a.done, 1);
  }
}

// No work is lost, and none is done twice.
TEST(FifoPort, IsBusyForWhatWasAsked) {
  FifoPort port;
  int32_t latest = 0;
  for (int i = 0; i < 300; ++i) latest = port.Ask(i % 3, i, 1, 7);
  EXPECT_NEAR(port.Finish(latest), 300 * 7, 7);
  EXPECT_EQ(port.busy(), 300 * 7);
}

}  // namespace
}  // namespace tilesim::timing
