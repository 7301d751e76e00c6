#include "sim/timing/path.h"

#include "gtest/gtest.h"

namespace tilesim::timing {
namespace {

constexpr PathKey kIssue{0, 1, Cause::kIssue}, kTma{0, 2, Cause::kTma};

TEST(PathTest, WhoIsReleasedGoesOnFromThere) {
  PathPool pool;
  Path producer(&pool), consumer(&pool);
  producer.Add(kIssue, 0, 10);
  consumer.Add(kTma, 0, 3);
  consumer = producer;
  consumer.Add(kTma, 1, 25);
  producer.Add(kIssue, 0, 30);
  ASSERT_EQ(consumer.Steps().size(), 2u);
  EXPECT_EQ(consumer.Steps()[0].to, 10);
  EXPECT_EQ(consumer.Steps()[1].from, 10);
  EXPECT_EQ(consumer.Steps()[1].cta, 1);
  EXPECT_EQ(consumer.Sums(), (PathSums{{kIssue, 10}, {kTma, 15}}));
  EXPECT_EQ(producer.Sums(), (PathSums{{kIssue, 30}}));
}

TEST(PathTest, NothingGoesBack) {
  PathPool pool;
  Path path(&pool);
  path.Add(kIssue, 0, 10);
  path.Add(kTma, 0, 10);
  path.Add(kTma, 0, 4);
  EXPECT_EQ(path.Sums(), (PathSums{{kIssue, 10}}));
  EXPECT_EQ(Path().Sums(), PathSums{});
}

TEST(PathTest, WhatLiesFarBackIsSummed) {
  PathPool pool(/*longest=*/8);
  Path path(&pool), early;
  Cycle now = 0;
  for (int i = 0; i < 1000; ++i) {
    path.Add(i % 2 == 0 ? kIssue : kTma, 0, now += 3);
    if (i == 500) early = path;
  }
  EXPECT_LE(path.Steps().size(), 8u);
  EXPECT_EQ(path.Steps().back().to, 3000);
  EXPECT_EQ(path.Sums(), (PathSums{{kIssue, 1500}, {kTma, 1500}}));
  EXPECT_EQ(early.Sums(), (PathSums{{kIssue, 753}, {kTma, 750}}));
}

TEST(PathTest, PathsThatPartLaterShareTheSums) {
  PathPool pool(/*longest=*/4);
  Path path(&pool);
  for (Cycle at = 1; at <= 10; ++at)
    path.Add(at % 2 == 0 ? kIssue : kTma, 0, at);
  Path other = path;
  for (Cycle at = 11; at <= 30; ++at)
    path.Add(at % 2 == 0 ? kIssue : kTma, 0, at);
  other.Add(kTma, 1, 25);
  EXPECT_EQ(path.Sums(), (PathSums{{kIssue, 15}, {kTma, 15}}));
  EXPECT_EQ(other.Sums(), (PathSums{{kIssue, 5}, {kTma, 20}}));
  EXPECT_LE(path.Steps().size(), 4u);
  EXPECT_EQ(other.Steps().back().from, 10);
}

}  // namespace
}  // namespace tilesim::timing
