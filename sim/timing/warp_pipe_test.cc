#include "sim/timing/warp_pipe.h"

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

using By = WarpPipe::By;

TEST(WarpPipe, OneWarpHasItAlone) {
  WarpPipe pipe;
  const int32_t first = pipe.Ask(0, 10, 100, By::kTurns);
  const int32_t second = pipe.Ask(0, 20, 30, By::kTurns);
  EXPECT_DOUBLE_EQ(pipe.Finish(first), 110);
  EXPECT_DOUBLE_EQ(pipe.Finish(second), 140);
}

// 512 cycles for two warps whose ex2 takes 256, both of them.
TEST(WarpPipe, WarpsThatComeTogetherEndTogether) {
  WarpPipe pipe;
  const int32_t a = pipe.Ask(0, 0, 256, By::kTurns);
  pipe.Keep(a);
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 256);
  const int32_t b = pipe.Ask(1, 0, 256, By::kTurns);
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 512);
  EXPECT_DOUBLE_EQ(pipe.Finish(b), 512);
}

TEST(WarpPipe, WhoComesLaterCatchesUp) {
  WarpPipe pipe;
  const int32_t a = pipe.Ask(0, 0, 256, By::kTurns);
  pipe.Keep(a);
  const int32_t b = pipe.Ask(1, 100, 256, By::kTurns);
  // Up to 64 cycles less, at 136.
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 448);
  EXPECT_DOUBLE_EQ(pipe.Finish(b), 512);
  // It has less to do: 4 cycles alone, then 46 beside `b`, which has 68 by
  // then.
  const int32_t c = pipe.Ask(2, 200, 50, By::kTurns);
  EXPECT_DOUBLE_EQ(pipe.Finish(c), 296);
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 544);
}

TEST(WarpPipe, AStreamGoesFirst) {
  WarpPipe pipe;
  const int32_t a = pipe.Ask(0, 0, 64, By::kTurns);
  const int32_t b = pipe.Ask(1, 10, 32, By::kStream);
  const int32_t c = pipe.Ask(2, 20, 32, By::kStream);
  EXPECT_DOUBLE_EQ(pipe.Finish(b), 42);
  EXPECT_DOUBLE_EQ(pipe.Finish(c), 74);
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 128);
}

TEST(WarpPipe, WhatIsKeptKeepsItsEnd) {
  WarpPipe pipe;
  const int32_t a = pipe.Ask(0, 0, 10, By::kTurns);
  pipe.Keep(a);
  const int32_t b = pipe.Ask(0, 100, 10, By::kTurns);
  EXPECT_NE(a, b);
  EXPECT_DOUBLE_EQ(pipe.Finish(a), 10);
  pipe.Release(a);
  EXPECT_EQ(pipe.Ask(1, 100, 10, By::kTurns), a);
}

}  // namespace
}  // namespace tilesim::timing
