#include "checkers/sizes/partition/instance_judging.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilesim::checkers::sizes::partition {
namespace {

using plan::Instance;

class InstanceJudgingTest : public testing::Test {
 protected:
  bool Judge(int64_t k, const std::set<int64_t>& clusters,
             std::optional<int64_t> handed_out = std::nullopt) {
    return judging_.Judge(code_, {{"K", k}}, clusters, handed_out);
  }

  ir::Kernel kernel_;
  machine::Code code_;
  std::vector<std::vector<int64_t>> seen_;
  Judged verdict_ = Judged::kByOrder;
  JudgeInstance judge_ = [this](const Instance& i) {
    seen_.push_back(i.clusters);
    return verdict_;
  };
  InstanceJudging judging_{kernel_, judge_};
};

TEST_F(InstanceJudgingTest, NoClusterIsJudgedTwice) {
  EXPECT_FALSE(judging_.any());
  EXPECT_TRUE(Judge(64, {0, 1}));
  EXPECT_TRUE(Judge(64, {1}));
  EXPECT_EQ(seen_.size(), 1u);
  EXPECT_TRUE(Judge(64, {1, 2}));
  EXPECT_TRUE(Judge(128, {1}));
  EXPECT_TRUE(Judge(64, {1}, 3));
  EXPECT_EQ(seen_.size(), 4u);
  EXPECT_TRUE(judging_.any());
}

TEST_F(InstanceJudgingTest, WhatWasSearchedIsRemembered) {
  verdict_ = Judged::kSearched;
  EXPECT_TRUE(Judge(64, {0}));
  verdict_ = Judged::kByOrder;
  EXPECT_TRUE(Judge(128, {0}));
  judging_.BeginAnew();
  EXPECT_FALSE(judging_.any());
  EXPECT_FALSE(judging_.by_order());
}

TEST_F(InstanceJudgingTest, AWrongOneIsTheLast) {
  verdict_ = Judged::kWrong;
  EXPECT_FALSE(Judge(64, {0}));
  EXPECT_TRUE(judging_.stopped());
}

}  // namespace
}  // namespace tilesim::checkers::sizes::partition
