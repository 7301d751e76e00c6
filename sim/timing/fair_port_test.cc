#include "sim/timing/fair_port.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

TEST(FairPort, ALoneRequestTakesItsTime) {
  FairPort port;
  EXPECT_EQ(port.Finish(port.Ask(0, 100, 30)), 130);
}

TEST(FairPort, ThoseWhoAskTogetherEndTogether) {
  FairPort port;
  const int32_t a = port.Ask(0, 100, 30), b = port.Ask(1, 100, 30);
  EXPECT_EQ(port.Finish(a), 160);
  EXPECT_EQ(port.Finish(b), 160);
}

TEST(FairPort, WhoComesLaterPutsOffWhoIsThere) {
  FairPort port;
  const int32_t a = port.Ask(0, 0, 30);
  EXPECT_EQ(port.Finish(a), 30);
  const int32_t b = port.Ask(1, 10, 50);
  EXPECT_EQ(port.Finish(a), 50);  // 20 were left, at half the pace
  EXPECT_EQ(port.Finish(b), 80);  // and 30 more of its own alone
}

TEST(FairPort, WhatOneWantsComesInItsOrder) {
  FairPort port;
  const int32_t first = port.Ask(0, 0, 10), second = port.Ask(0, 0, 10);
  const int32_t other = port.Ask(1, 0, 10);
  EXPECT_EQ(port.Finish(first), 20);
  EXPECT_EQ(port.Finish(other), 20);
  EXPECT_EQ(port.Finish(second), 30);
}

// A tile that lies wholly outside its tensor.
TEST(FairPort, NothingIsThroughWithWhatCameBefore) {
  FairPort port;
  const int32_t some = port.Ask(0, 0, 10), none = port.Ask(0, 0, 0);
  const int32_t other = port.Ask(1, 0, 10);
  EXPECT_EQ(port.Finish(some), 20);
  EXPECT_EQ(port.Finish(none), 20);
  EXPECT_EQ(port.Finish(other), 20);
  // All of it is gone: who comes next is alone.
  EXPECT_EQ(port.Finish(port.Ask(0, 30, 10)), 40);
  EXPECT_EQ(port.Finish(port.Ask(1, 30, 10)), 50);
}

TEST(FairPort, WhatIsKeptIsRemembered) {
  FairPort port;
  const int32_t kept = port.Ask(0, 0, 10);
  port.Keep(kept);
  for (int i = 1; i < 50; ++i) port.Ask(i % 3, 100 * i, 10);
  EXPECT_EQ(port.Finish(kept), 10);
  port.Release(kept);
}

// Against small steps of time: each user that wants something gets an equal
// share.
TEST(FairPort, IsWhatSmallStepsGive) {
  struct Asked {
    int user;
    double at, left;
    int32_t request;
    double done = 0;
  };
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    FairPort port;
    std::vector<Asked> all;
    for (int i = 0, now = 0; i < 40;
         ++i, now += static_cast<int>(random() % 30)) {
      const int user = static_cast<int>(random() % 4);
      const double time = 1 + random() % 20;
      all.push_back({user, now + 0.0, time, port.Ask(user, now, time)});
      port.Keep(all.back().request);
    }
    constexpr double kStep = 1.0 / 64;
    for (double now = 0; now < 3000; now += kStep) {
      std::array<Asked*, 4> first{};
      for (Asked& a : all) {
        if (a.at <= now && a.left > 0 && first[a.user] == nullptr)
          first[a.user] = &a;
      }
      const auto users = static_cast<double>(
          4 - std::count(first.begin(), first.end(), nullptr));
      for (Asked* a : first) {
        if (a == nullptr) continue;
        a->left -= kStep / users;
        if (a->left <= 0) a->done = now + kStep;
      }
    }
    for (const Asked& a : all) EXPECT_NEAR(port.Finish(a.request), a.done, 1);
  }
}

// No work is lost, and none is done twice.
TEST(FairPort, IsBusyForWhatWasAsked) {
  FairPort port;
  int32_t latest = 0;
  for (int i = 0; i < 300; ++i) latest = port.Ask(i % 3, i, 7);
  const double last = port.Finish(latest);
  EXPECT_NEAR(last, 300 * 7, 1e-6);
  EXPECT_EQ(port.busy(), 300 * 7);
}

}  // namespace
}  // namespace tilesim::timing
