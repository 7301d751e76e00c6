#include "sim/timing/fair_port.h"

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

TEST(FairPort, WhatIsKeptIsRemembered) {
  FairPort port;
  const int32_t kept = port.Ask(0, 0, 10);
  port.Keep(kept);
  for (int i = 1; i < 50; ++i) port.Ask(i % 3, 100 * i, 10);
  EXPECT_EQ(port.Finish(kept), 10);
  port.Release(kept);
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
