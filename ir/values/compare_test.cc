#include "ir/values/compare.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ir/values/convert.h"

namespace tilesim::values {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Comparison CompareF32(const std::vector<float>& got,
                      const std::vector<float>& want,
                      std::vector<double> bounds = {}) {
  return Compare(DType::kF32, got.data(), want.data(), got.size(), bounds);
}

TEST(CompareTest, EqualTensorsHaveNoError) {
  const Comparison c = CompareF32({1, 2, -0.0f, kInf}, {1, 2, -0.0f, kInf});
  EXPECT_TRUE(c.all_equal());
  EXPECT_TRUE(c.all_passed());
  EXPECT_EQ(c.max_abs_error, 0);
  EXPECT_EQ(c.norm_error, 0);
  EXPECT_EQ(c.first_mismatch, std::nullopt);
}

TEST(CompareTest, ErrorsAndIndicesOfADifference) {
  const Comparison c = CompareF32({3, 4.5f, 0}, {3, 4, 0}, {0.25});
  EXPECT_EQ(c.equal, 2);
  EXPECT_EQ(c.first_mismatch, 1);
  EXPECT_EQ(c.first_failure, 1);
  EXPECT_EQ(c.max_abs_error, 0.5);
  EXPECT_EQ(c.max_rel_error, 0.125);
  EXPECT_EQ(c.max_abs_index, 1);
  EXPECT_EQ(c.norm_error, 0.1);
}

TEST(CompareTest, SignedZerosDifferInBitsOnly) {
  const Comparison c = CompareF32({0.0f}, {-0.0f}, {0});
  EXPECT_FALSE(c.all_equal());
  EXPECT_TRUE(c.all_passed());
  EXPECT_EQ(c.max_abs_error, 0);
}

TEST(CompareTest, NanNeverPassesAgainstANumber) {
  const Comparison c = CompareF32({kNan, 1, kNan}, {1, kNan, kNan}, {kInf});
  EXPECT_EQ(c.passed, 1);
  EXPECT_EQ(c.nan_mismatch, 2);
  EXPECT_EQ(c.first_failure, 0);
  EXPECT_EQ(c.max_abs_error, 0);
}

TEST(CompareTest, InfinityAgainstANumberIsAnInfiniteError) {
  const Comparison c = CompareF32({kInf, -kInf}, {1, kInf}, {1e30});
  EXPECT_EQ(c.passed, 0);
  EXPECT_EQ(c.max_abs_error, kInf);
}

TEST(CompareTest, BoundsAnElement) {
  const Comparison c = CompareF32({1, 2, 3}, {1.5, 2.5, 3.5}, {1, 0.1, 0.5});
  EXPECT_EQ(c.passed, 2);
  EXPECT_EQ(c.first_failure, 1);
}

TEST(CompareTest, PaddingOfTf32DoesNotCount) {
  const uint32_t got = 0x3f800001, want = 0x3f801fff, other = 0x3f802000;
  EXPECT_TRUE(Compare(DType::kTF32, &got, &want, 1).all_equal());
  EXPECT_FALSE(Compare(DType::kTF32, &got, &other, 1).all_equal());
}

TEST(CompareTest, PackedNibbles) {
  const uint8_t got = 0x21, want = 0x31;
  const Comparison c = Compare(DType::kE2M1, &got, &want, 2);
  EXPECT_EQ(c.equal, 1);
  EXPECT_EQ(c.first_mismatch, 1);
  EXPECT_EQ(c.max_abs_error, 0.5);
}

TEST(CompareTest, AgainstExactMeansRoundedToNearest) {
  const uint16_t got[] = {0x3c00, 0x3c01};
  const double want[] = {1 + 1e-5, 1 + 1e-5};
  const Comparison c = CompareToExact(DType::kF16, got, want, 2);
  EXPECT_EQ(c.equal, 1);
  EXPECT_EQ(c.first_mismatch, 1);
  EXPECT_NEAR(c.max_abs_error, 0x1p-10 - 1e-5, 1e-12);
}

}  // namespace
}  // namespace tilesim::values
