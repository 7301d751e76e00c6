#include "frontend/threads.h"

#include <gtest/gtest.h>

namespace tilesim::frontend {
namespace {

TEST(Threads, OfABlock) {
  Threads t = Threads::Of(256);
  EXPECT_EQ(t.warps(), 8);
  EXPECT_EQ(t.count(), 256);
  EXPECT_TRUE(t.WholeWarpgroups());
  EXPECT_EQ(t.Describe(), "warps 0..8");
}

TEST(Threads, Narrowing) {
  Threads t = Threads::Of(256);
  t.KeepThreads(16, 80);
  EXPECT_EQ(t.count(), 64);
  EXPECT_FALSE(t.WholeWarps());
  t.KeepWarps(1, 2);
  EXPECT_TRUE(t.WholeWarps());
  EXPECT_FALSE(t.WholeWarpgroups());
  EXPECT_EQ(t.Describe(), "warp 1");
  t.KeepLanes(4, 6);
  EXPECT_EQ(t.Describe(), "2 lanes of warp 1");
  t.KeepFirstLane();
  EXPECT_EQ(t.lanes[1], 1u << 4);
  t.KeepWarps(5, 5);
  EXPECT_TRUE(t.empty());
}

TEST(Threads, AWarpgroupStartsAtAMultipleOfFour) {
  Threads t = Threads::Of(1024);
  t.KeepWarps(2, 6);
  EXPECT_FALSE(t.WholeWarpgroups());
  t = Threads::Of(1024);
  t.KeepWarps(4, 12);
  EXPECT_TRUE(t.WholeWarpgroups());
}

TEST(Threads, UnitedWarpsMayHaveGaps) {
  Threads t = Threads::Of(288), other = t;
  t.KeepWarps(0, 4);
  other.KeepWarps(8, 9);
  t.Add(other);
  EXPECT_EQ(t.warps(), 5);
  EXPECT_FALSE(t.Neighbours());
  EXPECT_FALSE(t.WholeWarpgroups());
  EXPECT_EQ(t.Describe(), "warps 0..4, 8");
  other = Threads::Of(288);
  other.KeepWarps(4, 8);
  t.Add(other);
  EXPECT_TRUE(t.Neighbours());
  EXPECT_EQ(t.Describe(), "warps 0..9");
  other.one_warp = true;
  other.exact = false;
  t.Add(other);
  EXPECT_FALSE(t.exact);
  EXPECT_FALSE(t.groups_known);
}

TEST(Threads, WhatIsNotKnownIsNotHeldAgainstThem) {
  Threads t = Threads::Of(256);
  t.KeepWarps(0, 3);
  t.groups_known = false;
  EXPECT_TRUE(t.WholeWarpgroups());
  t.one_warp = true;
  EXPECT_FALSE(t.WholeWarpgroups());
}

}  // namespace
}  // namespace tilesim::frontend
