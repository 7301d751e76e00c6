#include "sim/machine/arith/mma_rule.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "sim/machine/arith/mma_test_inputs.h"
#include "sim/machine/arith/mma_test_run.h"

namespace tilesim::arith {
namespace {

TEST(MmaRuleTest, FindsTheRowOfAKind) {
  const MmaRule* fp8 =
      FindRule({Unit::kWgmma, DType::kE4M3, DType::kE5M2, DType::kF32});
  ASSERT_NE(fp8, nullptr);
  EXPECT_EQ(fp8->fraction_bits, 13);
  EXPECT_EQ(fp8->output, Output::kF32Rz13);
  const MmaRule* sync =
      FindRule({Unit::kMmaSync, DType::kE4M3, DType::kE4M3, DType::kF32});
  ASSERT_NE(sync, nullptr);
  EXPECT_EQ(sync->steps, Steps::kTwoHalvesThenAdd);
  const MmaRule* blackwell =
      FindRule({Unit::kTcgen05, DType::kE4M3, DType::kE2M1, DType::kF32});
  ASSERT_NE(blackwell, nullptr);
  EXPECT_EQ(blackwell->fraction_bits, 25);
  EXPECT_EQ(blackwell->evidence, Evidence::kClaimed);
}

TEST(MmaRuleTest, KPicksAmongShapes) {
  MmaKey key{Unit::kMmaSync, DType::kF16, DType::kF16, DType::kF32};
  EXPECT_EQ(FindRule(key)->k, 16);
  key.k = 8;
  EXPECT_EQ(FindRule(key)->k, 8);
  key.k = 7;
  EXPECT_EQ(FindRule(key), nullptr);
}

TEST(MmaRuleTest, BlockScalesTellTheFp4KindsApart) {
  MmaKey key{Unit::kTcgen05, DType::kE2M1,  DType::kE2M1,
             DType::kF32,    DType::kUE8M0, 32};
  EXPECT_EQ(FindRule(key)->k, 64);
  EXPECT_EQ(FindRule(key)->fraction_bits, 35);
  key.k = 32;
  EXPECT_EQ(FindRule(key)->operands, OperandClass::kF8F6F4);
  key = {Unit::kTcgen05, DType::kE2M1, DType::kE2M1, DType::kF32,
         DType::kUE4M3};
  EXPECT_EQ(FindRule(key)->scale_block, 16);
  key.scale_block = 32;
  EXPECT_EQ(FindRule(key), nullptr);
}

TEST(MmaRuleTest, WhatNoUnitDoesHasNoRow) {
  EXPECT_EQ(FindRule({Unit::kWgmma, DType::kF16, DType::kBF16, DType::kF32}),
            nullptr);
  EXPECT_EQ(FindRule({Unit::kWgmma, DType::kBF16, DType::kBF16, DType::kF16}),
            nullptr);
  EXPECT_EQ(FindRule({Unit::kWgmma, DType::kE2M1, DType::kE2M1, DType::kF32}),
            nullptr);
}

TEST(MmaRuleTest, RowsAreComplete) {
  for (const MmaRule& rule : AllRules()) {
    EXPECT_FALSE(rule.source.empty());
    EXPECT_EQ(rule.is_scaled(), rule.scale_block > 0);
    EXPECT_NE(rule.output, Output::kF32Rne);
    EXPECT_EQ(rule.k % (rule.group > 0 ? rule.group : 1), 0);
  }
}

// ---- wrong rules are told from the right one, so the tests can fail

int Differences(const MmaRule& right, const MmaRule& wrong, DType type) {
  int count = 0;
  for (int i = 0; i < kInputClasses; ++i) {
    const Inputs inputs = MakeInputs(
        right, type, type, static_cast<InputClass>(i), 32, 32, 1, 77 + i);
    const std::vector<uint32_t> got = RunFast(right, inputs);
    const std::vector<uint32_t> want = RunReference(wrong, inputs);
    for (size_t j = 0; j < got.size(); ++j) count += got[j] != want[j];
  }
  return count;
}

const MmaRule& Wgmma(DType type, DType d = DType::kF32) {
  return *FindRule({Unit::kWgmma, type, type, d});
}

TEST(WrongRuleTest, FractionBits) {
  for (const DType type :
       {DType::kF16, DType::kBF16, DType::kTF32, DType::kE4M3, DType::kE5M2}) {
    for (const int change : {-1, 1}) {
      MmaRule wrong = Wgmma(type);
      wrong.fraction_bits += change;
      EXPECT_GT(Differences(Wgmma(type), wrong, type), 100)
          << values::NameOf(type) << " " << change;
    }
  }
}

TEST(WrongRuleTest, FractionBitsOfF16AndFp4) {
  // Ten bits of result rarely show the 25th: take more away.
  const MmaRule& half = Wgmma(DType::kF16, DType::kF16);
  MmaRule wrong = half;
  wrong.fraction_bits -= 4;
  EXPECT_GT(Differences(half, wrong, DType::kF16), 0);
  const MmaRule& fp4 = *FindRule(
      {Unit::kTcgen05, DType::kE2M1, DType::kE2M1, DType::kF32, DType::kUE4M3});
  wrong = fp4;
  wrong.fraction_bits = 25;
  EXPECT_GT(Differences(fp4, wrong, DType::kE2M1), 100);
}

TEST(WrongRuleTest, RoundingOfTheResult) {
  for (const DType type : {DType::kF16, DType::kBF16, DType::kTF32}) {
    MmaRule wrong = Wgmma(type);
    wrong.output = Output::kF32Rne;
    EXPECT_GT(Differences(Wgmma(type), wrong, type), 1000);
  }
  MmaRule wrong = Wgmma(DType::kE4M3);
  wrong.output = Output::kF32Rz23;
  EXPECT_GT(Differences(Wgmma(DType::kE4M3), wrong, DType::kE4M3), 1000);
}

TEST(WrongRuleTest, FloorOfTheExponent) {
  for (const DType type : {DType::kBF16, DType::kTF32}) {
    MmaRule wrong = Wgmma(type);
    wrong.e_floor = -126;
    EXPECT_GT(Differences(Wgmma(type), wrong, type), 0);
  }
}

TEST(WrongRuleTest, StepsOfFp8MmaSync) {
  const MmaRule& right =
      *FindRule({Unit::kMmaSync, DType::kE4M3, DType::kE4M3, DType::kF32});
  MmaRule wrong = right;
  wrong.steps = Steps::kFused;
  EXPECT_GT(Differences(right, wrong, DType::kE4M3), 1000);
}

}  // namespace
}  // namespace tilesim::arith
